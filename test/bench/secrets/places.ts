import type { SecretKind, SecretShape } from './kinds.ts';

/** A secret as a place shows it. */
export interface Sample {
  readonly kind: SecretKind;
  /** The secret, or the text around it that belongs to its kind. */
  readonly text: string;
}

export interface SecretPlace {
  readonly shapes: readonly SecretShape[];
  readonly write: (sample: Sample) => string;
}

const VALUES = ['token', 'named', 'password'] as const;
const KEYS = ['token', 'named'] as const;
const OWN_FORM = ['token', 'block', 'phrase'] as const;
const ALL = [...VALUES, 'block', 'phrase'] as const;

const words = (variable: string) => variable.toLowerCase().split('_');
const snake = ({ variable }: SecretKind) => variable.toLowerCase();
const camel = ({ variable }: SecretKind) =>
  words(variable)
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
const kebab = ({ variable }: SecretKind) => words(variable).join('-');

/** A secret of a value in an environment file; other secrets as they are, between other lines. */
function fileText({ kind, text }: Sample): string {
  return VALUES.some((shape) => shape === kind.shape)
    ? `NODE_ENV=production\nPORT=8080\n${kind.variable}=${text}\nLOG_LEVEL=info\n`
    : `# settings\n${text}\n# end\n`;
}

const record = ({ kind, text }: Sample) =>
  VALUES.some((shape) => shape === kind.shape)
    ? { service: 'orders', [snake(kind)]: text, region: 'eu' }
    : { output: text };

/** As in a JSON string, so many times. */
function escaped(text: string, times: number): string {
  return times === 0 ? text : escaped(JSON.stringify(text).slice(1, -1), times - 1);
}

const eachLine = (text: string, write: (line: string, number: number) => string) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index) => write(line, index + 1))
    .join('\n');

function pythonRepr(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  return `{${Object.entries(value ?? {})
    .map(([name, item]) => `'${name}': ${pythonRepr(item)}`)
    .join(', ')}}`;
}

const place =
  (shapes: readonly SecretShape[]) =>
  (write: SecretPlace['write']): SecretPlace => ({ shapes, write });
const anything = place(ALL);
const value = place(VALUES);
const key = place(KEYS);
const ownForm = place(OWN_FORM);

/** Where secrets stand in the traces of agents. */
export const SECRET_PLACES: Readonly<Record<string, SecretPlace>> = {
  // Prose
  'sentence that names it': value(({ kind, text }) => `Sure! The ${kind.label} is ${text}. Keep it safe.`),
  'sentence with a colon': value(({ kind, text }) => `Here is your ${kind.label}: ${text}`),
  'sentence with inline code': value(({ kind, text }) => `The ${kind.label} is \`${text}\`.`),
  'sentence without a name': ownForm(({ text }) => `I found this one: ${text}\nShall I go on?`),
  'bold name': value(({ kind, text }) => `- **${kind.label}**: ${text}\n- **Region**: eu-west-1`),
  'variable in a sentence': value(({ kind, text }) => `Set ${kind.variable} to ${text} and start again.`),
  'table of Markdown': value(({ kind, text }) => `| Name | Value |\n| --- | --- |\n| ${kind.variable} | ${text} |\n`),
  'value on the next line': value(({ kind, text }) => `Your ${kind.label}:\n\n    ${text}\n`),

  // Files
  'environment file': anything(fileText),
  'exported variable': value(({ kind, text }) => `set -e\nexport ${kind.variable}="${text}"\nnpm start\n`),
  'fenced code': anything((sample) => `Here it is:\n\`\`\`\n${fileText(sample)}\`\`\`\n`),
  YAML: value(({ kind, text }) => `service: orders\n${snake(kind)}: ${text}\nregion: eu\n`),
  'YAML list of variables': value(
    ({ kind, text }) => `env:\n  - name: ${kind.variable}\n    value: "${text}"\n  - name: PORT\n`,
  ),
  'indented YAML block': anything(
    (sample) => `data:\n  file: |\n${eachLine(fileText(sample), (line) => `    ${line}`)}\n`,
  ),
  TOML: value(({ kind, text }) => `[service]\n${snake(kind)} = "${text}"\n`),
  INI: value(({ kind, text }) => `[service]\n${snake(kind)} = ${text}\n`),
  XML: value(({ kind, text }) => `<service><${camel(kind)}>${text}</${camel(kind)}></service>`),
  'XML attribute': value(({ kind, text }) => `<add key="${camel(kind)}" value="${text}" />`),
  'Java properties': value(
    ({ kind, text }) => `service.${words(kind.variable).join('.')}=${text}\nservice.port=8080\n`,
  ),
  'JSON file': anything((sample) => JSON.stringify(record(sample), null, 2)),
  'compact JSON': anything((sample) => JSON.stringify(record(sample))),
  'JSON with camel case': value(({ kind, text }) => JSON.stringify({ id: 7, [camel(kind)]: text })),
  'JSON list of variables': value(({ kind, text }) =>
    JSON.stringify([
      { name: 'PORT', value: '80' },
      { name: kind.variable, value: text },
    ]),
  ),
  'CSV row': value(({ kind, text }) => `name,value\nPORT,8080\n${kind.variable},${text}\n`),
  'assignment in Python': value(
    ({ kind, text }) => `import os\n\n${snake(kind)} = "${text}"\nclient = Client(${snake(kind)})\n`,
  ),
  'argument in Python': value(({ kind, text }) => `client = Client(${snake(kind)}='${text}', timeout=30)\n`),
  'property in JavaScript': value(
    ({ kind, text }) => `const client = new Client({ ${camel(kind)}: '${text}', timeout: 30 });\n`,
  ),
  'constant in Go': value(({ kind, text }) => `const ${camel(kind)} string = "${text}"\n`),

  // Escapes
  'JSON in JSON': anything((sample) => JSON.stringify({ role: 'tool', content: JSON.stringify(record(sample)) })),
  'JSON in JSON in JSON': anything((sample) =>
    JSON.stringify({ message: JSON.stringify({ role: 'tool', content: JSON.stringify(record(sample)) }) }),
  ),
  'escaped once': anything((sample) => escaped(fileText(sample), 1)),
  'escaped twice': anything((sample) => escaped(fileText(sample), 2)),
  'escaped three times': anything((sample) => escaped(fileText(sample), 3)),
  'Python repr': anything((sample) => pythonRepr(record(sample))),
  'Python repr in JSON': anything((sample) =>
    JSON.stringify({ content: pythonRepr({ stdout: fileText(sample), code: '0' }) }),
  ),
  'bytes of Python': anything((sample) => `b${pythonRepr(fileText(sample))}`),

  // Listings
  'numbered lines with arrows': anything((sample) =>
    eachLine(fileText(sample), (line, n) => `${String(n).padStart(6)}→${line}`),
  ),
  'numbered lines of cat': anything((sample) =>
    eachLine(fileText(sample), (line, n) => `${String(n).padStart(6)}\t${line}`),
  ),
  'numbered lines, escaped': anything((sample) =>
    escaped(
      eachLine(fileText(sample), (line, n) => `${String(n).padStart(6)}→${line}`),
      1,
    ),
  ),
  'lines of grep': anything((sample) => eachLine(fileText(sample), (line, n) => `config/app.env:${n}:${line}`)),
  'context lines of grep': anything((sample) => eachLine(fileText(sample), (line, n) => `config/app.env-${n}-${line}`)),
  'numbered lines with bars': anything((sample) =>
    eachLine(fileText(sample), (line, n) => `${String(n).padStart(4)} | ${line}`),
  ),
  'numbered lines with colons': anything((sample) => eachLine(fileText(sample), (line, n) => `${n}: ${line}`)),
  'quoted lines': anything((sample) => eachLine(fileText(sample), (line) => `> ${line}`)),
  'lines quoted twice': anything((sample) => eachLine(fileText(sample), (line) => `> > ${line}`)),
  'added lines': anything((sample) => `@@ -0,0 +1,9 @@\n${eachLine(fileText(sample), (line) => `+${line}`)}`),
  'removed lines': anything((sample) => eachLine(fileText(sample), (line) => `-${line}`)),
  'comment lines': anything((sample) => eachLine(fileText(sample), (line) => `# ${line}`)),
  'lines of a log': anything((sample) => eachLine(fileText(sample), (line) => `2026-11-02T08:15:30.123Z INFO ${line}`)),
  'lines with carriage returns': anything((sample) => fileText(sample).replaceAll('\n', '\r\n')),
  'coloured lines': value(({ kind, text }) => `\u001b[36m${kind.variable}\u001b[0m=\u001b[32m${text}\u001b[0m\n`),

  // Requests
  'Authorization: Bearer': key(({ text }) => `GET /v1/orders HTTP/1.1\nAuthorization: Bearer ${text}\nAccept: */*\n`),
  'authorization: bearer': key(
    ({ text }) => `> GET /v1/orders HTTP/2\n> authorization: bearer ${text}\n> accept: */*\n`,
  ),
  'AUTHORIZATION: BEARER': key(({ text }) => `AUTHORIZATION: BEARER ${text}\n`),
  'Authorization: token': key(
    ({ text }) => `curl -s -H "Authorization: token ${text}" https://git.shop.io/api/v1/user`,
  ),
  'Authorization without a scheme': key(({ text }) => `Authorization: ${text}\nAccept: */*\n`),
  'Proxy-Authorization: Basic': value(
    ({ text }) => `Proxy-Authorization: Basic ${Buffer.from(`deploy:${text}`).toString('base64')}\n`,
  ),
  'X-Api-Key': key(({ text }) => `X-Api-Key: ${text}\n`),
  'x-api-key of curl': key(({ text }) => `curl -H 'x-api-key: ${text}' -H 'accept: */*' https://api.shop.io/v1`),
  'X-Auth-Token': key(({ text }) => `X-Auth-Token: ${text}\n`),
  'Private-Token': key(({ text }) => `curl --header "PRIVATE-TOKEN: ${text}" https://git.shop.io/api/v4/user`),
  'headers in JSON': key(({ text }) => JSON.stringify({ headers: { accept: '*/*', authorization: `Bearer ${text}` } })),
  'headers in Python': key(
    ({ text }) => `requests.get(url, headers={'Authorization': f'Bearer ${text}', 'Accept': '*/*'})`,
  ),
  'list of headers': key(({ text }) =>
    JSON.stringify([
      ['accept', '*/*'],
      ['x-api-key', text],
    ]),
  ),
  'cookie of a token': key(({ text }) => `Cookie: lang=en; access_token=${text}; theme=dark\n`),
  'query of a URL': key(
    ({ text }) => `GET https://api.shop.io/v1/orders?page=2&api_key=${encodeURIComponent(text)}&limit=50`,
  ),
  'token in a query': key(({ text }) => `wss://live.shop.io/socket?token=${encodeURIComponent(text)}`),
  'user of a URL': key(({ text }) => `git clone https://${encodeURIComponent(text)}@git.shop.io/shop/orders.git`),
  'password of a URL': value(
    ({ text }) => `git clone https://deploy:${encodeURIComponent(text)}@git.shop.io/shop/orders.git`,
  ),
  'form body': value(
    ({ kind, text }) => `grant_type=client_credentials&${snake(kind)}=${encodeURIComponent(text)}&scope=all`,
  ),
  'redirect with a token': key(
    ({ text }) => `location: https://app.shop.io/cb?access_token=${encodeURIComponent(text)}&state=7\n`,
  ),

  // Command lines
  'option with =': value(({ kind, text }) => `orders sync --${kebab(kind)}=${text} --verbose`),
  'option with a blank': value(({ kind, text }) => `orders sync --${kebab(kind)} ${text} --verbose`),
  'option in quotes': value(({ kind, text }) => `orders sync --${kebab(kind)} '${text}'`),
  'variable before a command': value(({ kind, text }) => `${kind.variable}=${text} npm run deploy`),
  'variable of Docker': value(({ kind, text }) => `docker run -e ${kind.variable}=${text} -p 80:80 shop/orders`),
  'literal of kubectl': value(
    ({ kind, text }) => `kubectl create secret generic orders --from-literal=${kebab(kind)}=${text}`,
  ),
  'user of curl': value(({ text }) => `curl -u deploy:${text} https://api.shop.io/v1/orders`),
  'output of set': value(({ kind, text }) => `HOME=/root\n${kind.variable}='${text}'\nSHLVL=1\n`),
  'PowerShell variable': value(({ kind, text }) => `$env:${kind.variable} = "${text}"`),
  'statement of SQL': value(
    ({ kind, text }) => `INSERT INTO settings (name, value) VALUES ('${snake(kind)}', '${text}');`,
  ),
  'error message': value(({ kind, text }) => `ValueError: invalid ${snake(kind)} '${text}' for orders`),
};
