import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findReportedSecrets,
  findSecrets,
  redactJsonText,
  redactJsonValue,
  redactSecrets,
} from '../../../src/core/secrets.ts';
import { githubToken } from '../../support/github-token.ts';
import { BASE62, BASE64, BASE64URL, DIGITS, HEX, LOWER, randomText, UPPER } from '../../support/random-text.ts';
import { MAX_LINEAR_GROWTH, timeGrowth } from '../../support/time-growth.ts';

function findAll(text: string): string[] {
  return findSecrets(text).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
}

function webToken(seed: number, header: object = { alg: 'HS256', typ: 'JWT' }): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part({ sub: randomText(seed, 12, HEX), admin: true })}.${randomText(seed, 43, BASE64URL)}`;
}

function privateKey(seed: number): string {
  return Array.from({ length: 4 }, (_, line) => randomText(seed + 1000 * line, 64, BASE64)).join('\n');
}

const TOKENS: Readonly<Record<string, (seed: number) => string>> = {
  'AWS access key': (seed) => `AKIA${randomText(seed, 16, `${UPPER}234567`)}`,
  'GitHub token': githubToken,
  'GitHub token, fine-grained': (seed) => `github_pat_${randomText(seed, 22, BASE62)}_${randomText(seed, 59, BASE62)}`,
  'GitLab token': (seed) => `glpat-${randomText(seed, 20, BASE64URL)}`,
  'GitLab token, routable': (seed) =>
    `glpat-${randomText(seed, 27, BASE62)}.${randomText(seed, 2, DIGITS)}${randomText(seed, 7, LOWER)}`,
  'OpenAI key': (seed) => `sk-proj-${randomText(seed, 74, BASE62)}T3BlbkFJ${randomText(seed + 1, 74, BASE62)}`,
  'Anthropic key': (seed) => `sk-ant-api03-${randomText(seed, 93, BASE64URL)}AA`,
  'OpenRouter key': (seed) => `sk-or-v1-${randomText(seed, 64, HEX)}`,
  'Langfuse secret key': (seed) =>
    `sk-lf-${[8, 4, 4, 4, 12].map((length) => randomText(seed + length, length, HEX)).join('-')}`,
  'LangSmith key': (seed) => `lsv2_pt_${randomText(seed, 32, HEX)}_${randomText(seed, 10, HEX)}`,
  'Groq key': (seed) => `gsk_${randomText(seed, 52, BASE62)}`,
  'Perplexity key': (seed) => `pplx-${randomText(seed, 48, BASE62)}`,
  'Hugging Face token': (seed) => `hf_${randomText(seed, 34, `${LOWER}${UPPER}`)}`,
  'Google API key': (seed) => `AIza${randomText(seed, 35, BASE62)}`,
  'Slack token': (seed) =>
    `xoxb-${randomText(seed, 11, DIGITS)}-${randomText(seed, 11, DIGITS)}-${randomText(seed, 24, BASE62)}`,
  'Slack token, of an app': (seed) =>
    `xapp-1-${randomText(seed, 11, UPPER)}-${randomText(seed, 13, DIGITS)}-${randomText(seed, 64, HEX)}`,
  'Slack webhook': (seed) =>
    `hooks.slack.com/services/T${randomText(seed, 10, UPPER)}/B${randomText(seed, 10, UPPER)}/${randomText(seed, 24, BASE62)}`,
  'Stripe key': (seed) => `sk_live_${randomText(seed, 24, BASE62)}`,
  'npm token': (seed) => `npm_${randomText(seed, 36, BASE62)}`,
  'PyPI token': (seed) => `pypi-AgEIcHlwaS5vcmc${randomText(seed, 120, BASE64URL)}`,
  'SendGrid key': (seed) => `SG.${randomText(seed, 22, BASE62)}.${randomText(seed, 43, BASE62)}`,
  'DigitalOcean token': (seed) => `dop_v1_${randomText(seed, 64, HEX)}`,
  'Databricks token': (seed) => `dapi${randomText(seed, 32, HEX)}`,
  'Vault token': (seed) => `hvs.${randomText(seed, 95, BASE62)}`,
  'Shopify token': (seed) => `shpat_${randomText(seed, 32, HEX)}`,
  'Notion token': (seed) => `ntn_${randomText(seed, 11, DIGITS)}${randomText(seed, 35, BASE62)}`,
  'Linear key': (seed) => `lin_api_${randomText(seed, 40, BASE62)}`,
  'Telegram bot token': (seed) => `${randomText(seed, 10, DIGITS)}:AA${randomText(seed, 33, BASE62)}`,
  'Azure client secret': (seed) => `${randomText(seed, 3, BASE62)}8Q~${randomText(seed, 34, BASE62)}`,
  'JSON Web Token': webToken,
};

/** Fixed, because one random text in some thousands has a word or a row in it that makes it look made up. */
const SEEDED = { seed: 11 } as const;
const seeds = fc.nat(1_000_000);

describe('findSecrets', () => {
  it.each(Object.entries(TOKENS))('finds a token in prose, code and JSON, and nothing else: %s', (name, make) => {
    const [kind] = name.split(',');
    fc.assert(
      fc.property(seeds, (seed) => {
        const token = make(seed);
        const expected = [`${kind}: ${token}`];
        expect(findAll(`Use ${token}, it is valid.`)).toEqual(expected);
        expect(findAll(`It is \`${token}\`. Keep it.`)).toEqual(expected);
        expect(findAll(JSON.stringify({ text: `a\n${token}` }))).toEqual(expected);
      }),
      { ...SEEDED, numRuns: 50 },
    );
  });

  // What scans of the public data, of 140 MB of packages and of their documentation have shown.
  it.each([
    ['a message under the name "pass"', '{"pass":"Required ARIA parent role present"}'],
    ['the verb "pass"', 'simply pass `v8::Isolate::GetCurrent()` to it, or pass -R/path/to/dir'],
    ['a sentence with "pass"', 'If we pass a class:\n`clone(MyClass)`'],
    ['a list of constants', 'SIGN_UP_V2_SUBMIT_PASSWORD, SIGN_UP_V2_SUBMIT_CODE'],
    ['a link', '[OAuth2 authorization code](https://learn.shop.io/entra/identity-platform/v2-oauth2)'],
    ['a type', 'def encode(private_key: ed25519.Ed25519PrivateKey):'],
    ['a comparison', 'e[r-1].token===n.token-1&&e[n.end+1].token===s.token+1'],
    ['a regular expression', 'const SAFE_ACCESS_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/u'],
    ['a placeholder in angle brackets', 'Its format is `ops_<base64>`, token: ops_<base64url>a1b2c3d4'],
    [
      'a token of a trial',
      '"SystemEntropyOriginTrialToken": "A1L3tx5CzccqjN3lK6st/fXMwhf9EeokCPf8XCt0DVI8JPbg37BWq0zK"',
    ],
    ['a token of a page', `nextPageToken: ${randomText(7, 40, BASE62)}`],
    ['a token that a program prints', `Token generated: czhnsi-${randomText(7, 32, HEX)}`],
    ['a count of tokens', '"prompt_tokens": 1234, "max_tokens": 4096, "token_count": 17'],
    ['a name of a secret', 'secret_name: shop-k8s-v2-eu1-a1b2-c3d4'],
    ['a hash of a password', `password: $2b$12$${randomText(7, 53, BASE62)}`],
    ['an empty variable before another', `API_KEY=\\nCOMMIT=${randomText(7, 40, HEX)}`],
    ['the arguments of a URL', 'https://shop.io/search?q=a1b2c3d4e5f6&page=2&sort=price'],
    ['a cookie that is no secret', 'Cookie: theme=dark; lang=en-GB; consent=analytics-off-marketing-off'],
  ])('ignores %s', (_, text) => {
    expect(findAll(text)).toEqual([]);
  });

  it.each([
    ['a signed link', `https://b.s3.amazonaws.com/a.csv?X-Amz-Signature=${randomText(7, 64, HEX)}`],
    ['a cookie', `Set-Cookie: sid=${randomText(7, 40, BASE62)}; Path=/`],
    ['a code of a redirect', `https://shop.io/cb?code=${randomText(7, 43, BASE62)}&state=1`],
    ['a token without a strong name', `TOKEN=${randomText(7, 43, BASE62)}`],
  ])('does not report %s, which may be shown on purpose', (_, text) => {
    expect(findSecrets(text)).toHaveLength(1);
    expect(findReportedSecrets(text)).toEqual([]);
  });

  it('gives the ranges in order, each once', () => {
    const [first, second] = [githubToken(1), `AKIA${randomText(2, 16, UPPER)}`];
    const text = `API_KEY=${first}\naws_access_key_id: ${second}`;
    expect(findAll(text)).toEqual([`GitHub token: ${first}`, `AWS access key: ${second}`]);
  });

  it('checks the checksum of a GitHub token', () => {
    // Published with the checksum's description: github.com/therootcompany/base62-token.js
    const published = ['ghp_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ', '0mLq17'].join('');
    expect(findAll(published)).toHaveLength(1);
    fc.assert(
      fc.property(seeds, fc.integer({ min: 4, max: 39 }), (seed, at) => {
        const token = githubToken(seed);
        const other = token[at] === 'a' ? 'b' : 'a';
        expect(findAll(`${token.slice(0, at)}${other}${token.slice(at + 1)}`)).toEqual([]);
      }),
    );
  });

  it.each([
    ['with line breaks', (key: string) => `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`],
    ['of OpenSSH, cut off', (key: string) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${key}`],
    [
      'encrypted',
      (key: string) =>
        `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n${key}\n`,
    ],
    ['indented', (key: string) => `-----BEGIN PRIVATE KEY-----\n      ${key.replaceAll('\n', '\n      ')}`],
    ['of OpenPGP', (key: string) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${key}\n=aB3d\n`],
    ['escaped', (key: string) => JSON.stringify({ key: `-----BEGIN PRIVATE KEY-----\n${key}` })],
  ])('finds a private key %s', (_, write) => {
    const text = write(privateKey(3));
    const secrets = findSecrets(text);
    expect(secrets.map(({ kind }) => kind)).toEqual(['private key']);
    expect(text.slice(secrets[0]?.start, secrets[0]?.end)).toContain(randomText(3003, 64, BASE64));
  });

  it.each([
    'postgres://app:{}@db.shop.io:5432/orders',
    'See https://deploy:{}@git.shop.io/app.git for it.',
    'MONGO=mongodb+srv://app:{}@c0.mongodb.net',
    'redis://:{}@cache.shop.io:6379',
  ])('finds the password in %s', (url) => {
    const password = randomText(4, 12, BASE62);
    expect(findAll(url.replace('{}', password))).toEqual([`password in a URL: ${password}`]);
  });

  it('finds the key of an Azure storage account', () => {
    const key = `${randomText(5, 86, BASE64)}==`;
    expect(findAll(`AccountName=shop;AccountKey=${key};EndpointSuffix=core`)).toEqual([`Azure storage key: ${key}`]);
  });

  it.each([
    ['API key', 'api_key = "{}"'],
    ['API key', 'SHOP_API_KEY={}'],
    ['API key', '{"apiKey": "{}"}'],
    ['API key', '**API Key:** `{}`'],
    ['API key', 'The API key of the shop is {}.'],
    ['secret key', 'aws_secret_access_key: {}'],
    ['client secret', "clientSecret: '{}'"],
    ['access token', '"access_token":"{}"'],
    ['access token', 'curl -H "Authorization: Bearer {}"'],
    ['password', 'Your new password is: {}'],
  ])('finds a secret by its name: %s in %s', (kind, text) => {
    const value = randomText(6, 32, BASE62);
    expect(findAll(text.replace('{}', value))).toEqual([`${kind}: ${value}`]);
  });

  const SIGNED = `Gx7#q${randomText(9, 1, UPPER)}p2!vTz`;

  it.each(["{'password': '{}'}", '"password": "{}"', 'The password is {}.', 'Your password is `{}`.', 'PASSWORD={}\n'])(
    'finds a short password with signs in %s',
    (text) => {
      expect(findAll(text.replace('{}', SIGNED))).toEqual([`password: ${SIGNED}`]);
    },
  );

  it('finds the secret key of AWS beside its id, but not alone', () => {
    const [id, secret] = [`AKIA${randomText(2, 16, UPPER)}`, randomText(12, 40, BASE62)];
    expect(findAll(`The id is ${id} and the secret ${secret}.`)).toEqual([
      `AWS access key: ${id}`,
      `AWS secret key: ${secret}`,
    ]);
    expect(findAll(`Commit ${secret}.`)).toEqual([]);
    expect(findAll(`AKIA ids go with values such as ${secret}.`)).toEqual([]);
    expect(findAll(`${id} at ${randomText(12, 40, HEX).replace(/\d/g, 'a')}`)).toEqual([`AWS access key: ${id}`]);
  });

  it.each(['P@ssw0rd!', 'Password123!', 'Welcome1!', 'Str0ng!Pass', 'S3cure#Key1', 'A1b2C3d4!', 'Gx7qLp2vTz', 'Gx7#q'])(
    'takes %j for no password that anybody drew',
    (password) => {
      expect(findAll(`password: ${password}`)).toEqual([]);
    },
  );

  it.each(['the value {}', 'password policy: see {}', 'password: process.env.{}()'])(
    'is silent about a word with signs in %s',
    (text) => {
      expect(findAll(text.replace('{}', 'Gx7#qLp2!vTz'))).toEqual([]);
    },
  );

  it.each([
    ['the example of AWS', ['AKIAIOSFODNN7', 'EXAMPLE'].join('')],
    ['its secret', `aws_secret_access_key = ${['wJalrXUtnFEMI/K7MDENG/bPxRfiCY', 'EXAMPLEKEY'].join('')}`],
    ['the example of RFC 6749', 'refresh_token: tGzv3JOkF0XG5Qx2TlKWIA'],
    ['its example of a code', 'https://client.shop.io/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz'],
    [
      'the example of jwt.io',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV',
    ],
    ['a key of the letter x', `sk-ant-api03-${'x'.repeat(93)}AA`],
    ['a key of one digit', `sk_live_${'0'.repeat(24)}`],
    ['a key that counts', `npm_${DIGITS}${LOWER}`],
    ['a key of little entropy', `AKIA${'AB'.repeat(8)}`],
    ['a key with a row of one letter', `npm_${randomText(7, 31, BASE62)}ZZZZZ`],
    ['a value that goes in circles', 'api_key = b7c2b7c2b7c2b7c2b7c2b7c2'],
    ['your-api-key', 'OPENAI_API_KEY=your-api-key-0a1b2c3d4e5f'],
    ['what stands between angle brackets', 'api_key = "<your key here>"'],
    ['a variable', 'api_key = os.environ["SHOP_API_KEY_2024_V1_B2"]'],
    ['a call', 'access_token = client.v2.auth0.s3.get_token(user)'],
    ['a name', 'password: shop-production-password-2024'],
    ['a key of test mode', `sk_test_${randomText(7, 24, BASE62)}`],
    ['a key with too few characters', `AIza${randomText(7, 34, BASE62)}`],
    ['a key with too many', `npm_${randomText(7, 37, BASE62)}`],
    ['the middle of a word', `x${githubToken(7)}`],
    ['the password of a local database', `postgres://app:${randomText(7, 12, BASE62)}@localhost:5432/app`],
    ['the password of a machine in the own network', `postgres://app:${randomText(7, 12, BASE62)}@db.local/app`],
    ['a default password', 'mysql://root:password1@db.shop.io/app'],
    ['a password from a variable', `postgres://app:\${DB_PASSWORD_1}@db.shop.io/app`],
    ['a URL with a port', 'https://shop.io:8443/a1b2c3d4@v2.0'],
    ['an e-mail address after a URL', 'See https://shop.io: a1b2c3d4@shop.io'],
    ['a UUID', 'api_key: 3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    ['a hash', 'The password hash is 5f4dcc3b5aa765d61d8327deb882cf99'],
    ['a commit', 'Fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8.'],
    ['an image', `data:image/png;base64,${randomText(7, 400, BASE64)}`],
    ['a page token', `next_page_token: ${randomText(7, 32, BASE62)}`],
    [
      'the header of a private key',
      '`-----BEGIN PRIVATE KEY-----` is the first line, and the body of it follows below',
    ],
    ['a private key that is left out', '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg...\n-----END PRIVATE KEY-----'],
    ['a public key', `-----BEGIN PUBLIC KEY-----\n${privateKey(7)}\n-----END PUBLIC KEY-----`],
    ['three parts that are no web token', webToken(7, { typ: 'note', of: 'nothing' })],
  ])('ignores %s', (_, text) => {
    expect(findAll(text)).toEqual([]);
  });

  it.each([
    'example',
    'SAMPLE',
    'placeholder',
    'Dummy',
    'fake',
    'Test',
    'your',
    'REDACTED',
    'change',
    'insert',
    'replace',
    'qwerty',
  ])('treats a key with %j as a placeholder', (word) => {
    expect(findAll(`npm_${word}${randomText(8, 36 - word.length, BASE62)}`)).toEqual([]);
    expect(findAll(`npm_${randomText(8, 36 - word.length, BASE62)}${word}`)).toEqual([]);
  });

  it('never throws, and gives ranges within the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.constantFrom('api_key=', '://a:', 'eyJ'), (text, lead) => {
        for (const { start, end } of findSecrets(lead + text)) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(lead.length + text.length);
        }
      }),
    );
  });

  it.each([
    'a',
    '.',
    '@',
    ' ',
    '1',
    'eyJ',
    'eyJ-',
    'eyJhbGciOiJIUzI1NiJ9.',
    'sk-',
    'glpat-a.',
    'AKIA',
    '-----BEGIN PRIVATE KEY-----',
    `-----BEGIN PRIVATE KEY-----\n${'a: a: a a\n'.repeat(5)}`,
    `-----BEGIN PRIVATE KEY-----\n${BASE62}`,
    'a://a:',
    '://a:aaaaaaaa@a.',
    'api key ',
    'password is ',
    'password is A1#b',
    'A1#b',
    'password=',
    `password=${BASE62}`,
    'access_token\\"',
    'Bearer ',
    '\\n',
    'key=',
    'auth:token ',
    'token to ',
    'Authorization: Bearer ',
    'cookie: a=',
    'Cookie: abcdefghijklmnopqrst=1;',
    '?code=',
    '://a',
    'ya29.',
    '/sk-',
    '\u001b[32m',
    '\\\\',
    `-----BEGIN PRIVATE KEY-----\n${'Ab1/'.repeat(12)}\n`,
  ])('takes linear time for a text that repeats %j', (unit) => {
    expect(timeGrowth(findSecrets, unit)).toBeLessThan(MAX_LINEAR_GROWTH);
  });
});

describe('redactSecrets', () => {
  it('leaves text without secrets as it is', () => {
    expect(redactSecrets('Nothing to hide.')).toBe('Nothing to hide.');
  });

  it('redacts every secret and nothing else, whatever surrounds it', () => {
    const around = fc.constantFrom('', ' ', 'the key: ', '\n', 'ü, ');
    fc.assert(
      fc.property(fc.array(fc.tuple(around, fc.nat(9999)), { maxLength: 4 }), around, (pieces, end) => {
        const text = pieces.map(([before, seed]) => `${before} ${githubToken(seed)} `).join('') + end;
        const shown = pieces.map(([before]) => `${before} [REDACTED GitHub token] `).join('') + end;
        expect(redactSecrets(text)).toBe(shown);
        expect(findSecrets(redactSecrets(text))).toEqual([]);
      }),
      SEEDED,
    );
  });
});

describe('redactJsonText', () => {
  it('leaves JSON as JSON, and text without secrets byte for byte', () => {
    const value = { 'a "name"': [`the key ${githubToken(1)}`, { password: 'gT7#qLw2!vZx' }], score: 1 };
    expect(JSON.parse(redactJsonText(JSON.stringify(value)))).toEqual({
      'a "name"': ['the key [REDACTED GitHub token]', { password: '[REDACTED password]' }],
      score: 1,
    });
    expect(redactJsonText('{ "score":  1 }')).toBe('{ "score":  1 }');
    expect(redactJsonText(`no JSON: ${githubToken(1)}`)).toBe('no JSON: [REDACTED GitHub token]');
  });

  it('leaves a private key that is cut off in one text from reaching into the next', () => {
    const lines = ['-----BEGIN PRIVATE KEY-----', randomText(1, 64, BASE64), randomText(2, 64, BASE64)];
    const redacted: string[] = JSON.parse(redactJsonText(JSON.stringify([lines.join('\n'), 'and more', 'texts'])));
    expect(redacted.slice(1)).toEqual(['and more', 'texts']);
    expect(redacted[0]).not.toContain(lines[2]);
  });
});

describe('redactJsonValue', () => {
  it.each([
    ['password', 'gT7#qLw2!vZx', '[REDACTED password]'],
    ['note', 'gT7#qLw2!vZx', 'gT7#qLw2!vZx'],
    ['api_key', randomText(7, 32, BASE62), '[REDACTED API key]'],
    ['token', `it is ${githubToken(1)}`, 'it is [REDACTED GitHub token]'],
    ['password', 12345678, 12345678],
  ])('knows a value by its name: %s', (name, value, expected) => {
    expect(redactJsonValue(name, value)).toBe(expected);
  });
});
