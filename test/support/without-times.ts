import { inflateRawSync } from 'node:zlib';

/** A report without ids and times of its run, which are the only difference between two runs of the same; the data of a page is unpacked. */
export function withoutTimes(text: string): string {
  return (
    text
      .replaceAll(/(?<=>)[A-Za-z0-9+/]{40,}=*(?=<)/g, (data) => inflateRawSync(Buffer.from(data, 'base64')).toString())
      .replaceAll(/\d{8}T\d{9}Z-[0-9a-f]{8}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g, 'TIME')
      .replaceAll(/("(?:durationMs|start|stop|duration)": ?)\d+/g, '$1MS')
      .replaceAll(/ time="[\d.]+"/g, ' time="S"')
      .replaceAll(/\d+(?:\.\d+)? m?s\b/g, 'MS')
      // The first line of a table is wrapped where its time is long.
      .replace(/\n(?=\d+ turns? · .* MS$)/m, ' · ')
  );
}
