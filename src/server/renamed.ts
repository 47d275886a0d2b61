import { pathToFileURL } from 'node:url';
import type { FoundAt, Results as Metrics, SessionReport } from '../core/report.ts';
import type { Result } from '../core/result.ts';
import type { Place, RelatedPlace } from '../protocol/messages.ts';
import { sessionKey } from '../protocol/panel.ts';
import type { Found } from './found.ts';
import type { HeldProblem, HeldSession } from './rows.ts';

/** What was found, as if its file had always had its new name. */
export class Renamed {
  readonly #from: string;
  readonly #to: string;
  readonly #uris: { readonly from: string; readonly to: string };

  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
    this.#uris = { from: pathToFileURL(from).href, to: pathToFileURL(to).href };
  }

  problem({ row, file }: HeldProblem): HeldProblem {
    return { row: { ...row, place: this.#place(row.place) }, file: this.#path(file) };
  }

  session({ row, file, files, failures, observations, turnPlaces, detail }: HeldSession): HeldSession {
    const place = this.#place(row.place);
    return {
      row: { ...row, key: sessionKey(place.uri, row.id), place },
      file: this.#path(file),
      files: files.map((path) => this.#path(path)),
      failures: failures.map((found) => this.#found(found)),
      observations: observations.map((found) => this.#found(found)),
      turnPlaces: turnPlaces.map((turn) => this.#place(turn)),
      detail: { ...detail, report: this.#report(detail.report), found: this.#allFound(detail.found) },
    };
  }

  #report(report: SessionReport): SessionReport {
    return {
      ...report,
      source: { ...report.source, file: this.#path(report.source.file) },
      metrics: this.#metrics(report.metrics),
      turns: report.turns.map((turn) => ({ ...this.#inFile(turn), metrics: this.#metrics(turn.metrics) })),
    };
  }

  #allFound({ groups, observations, suppressed }: Found): Found {
    const renamed = <At extends FoundAt>(found: At): At => {
      return { ...this.#inFile(found), evidence: found.evidence.map((one) => this.#inFile(one)) };
    };
    return {
      groups: groups.map((group) => ({ ...group, occurrences: group.occurrences.map(renamed) })),
      observations: observations.map(renamed),
      suppressed: suppressed.map(renamed),
    };
  }

  #metrics(metrics: Metrics): Metrics {
    const isElsewhere = ({ evidence }: Result) => evidence.some(({ file }) => file === this.#from);
    if (!Object.values(metrics).some(isElsewhere)) return metrics;
    const renamed = Object.entries(metrics).map(([name, result]) => {
      return [name, { ...result, evidence: result.evidence.map((one) => this.#inFile(one)) }] as const;
    });
    return Object.fromEntries(renamed);
  }

  #inFile<Placed extends { readonly file?: string }>(placed: Placed): Placed {
    return placed.file === this.#from ? { ...placed, file: this.#to } : placed;
  }

  #found<Row extends { readonly place: Place; readonly related: readonly RelatedPlace[] }>(found: Row): Row {
    const related = found.related.map((one) => this.#place(one));
    return { ...found, place: this.#place(found.place), related };
  }

  #place<At extends Place>(place: At): At {
    return place.uri === this.#uris.from ? { ...place, uri: this.#uris.to } : place;
  }

  #path(path: string): string {
    return path === this.#from ? this.#to : path;
  }
}
