/** Whether a host is this machine itself, so that nothing sent to it leaves it. @param hostname as `URL` has it. */
export function isLoopback(hostname: string): boolean {
  // RFC 6761 keeps `.localhost` for loopback. `127.evil.example` is a name like any other.
  return /^(.+\.)?localhost$/.test(hostname) || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
