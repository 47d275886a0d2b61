import { isObject, parseJson } from './json.ts';
import { matchPatterns, type PatternMatch, runFinder, type TextPattern } from './text-pattern.ts';

/** No token begins within a word, except after an escaped line break: `\nghp_…`. */
const START = String.raw`(?<!(?<!\\)[\w-])`;
const END = String.raw`(?!\w)`;

/** A long value without spaces; not a function call or an index expression. */
const OPAQUE = String.raw`(?<value>[A-Za-z0-9][\w.~+/-]{14,150}[\w+/-]={0,2})(?![\w~+/=(\[-]|\.\w)`;

/** The separator between the name of a secret and its value. */
const SETS = String.raw`["'\`*\\ ]{0,3}(?: (?!hash|digest|checksum|fingerprint|id\b|name|ur[il]\b)[\w-]{1,20}){0,4}["'\`*\\ ]{0,3}(?:=>|:=|->|[:=]|\bis\b)["'\`*\s\\]{0,6}`;

/** A value with punctuation, up to the end of a word. */
const PASSWORD = String.raw`(?<value>[\w!#$%&*@^?~+.-]{7,31}[\w!#$%&*@^?~+])(?=[.,;:)]?(?:["'\`*\s\\<]|$))`;

/** Every secret except a password has a run at least as long as an opaque value. */
const hasLongRun = runFinder(/[\w.~+/-]/, 16);

const NAMES_PASSWORD = /passw(?:or)?d/i;

/** Words that mark placeholder values, and example keys of public documentation. */
const PLACEHOLDER =
  /example|sample|placeholder|dummy|fake|test|your|redact|change|insert|replace|\.\.\.|qwert|tGzv3JOkF0XG5Qx2TlKWIA|2YotnFZFEjr1zCsicMWpAA|Eby8vdM02xNOcqFl|C2y6yDjf5\/R\+ob0N8A7Cgv/i;

const COMMON_PASSWORD = /pass|secret|user|admin|root|guest|postgres|mysql|mongo|redis|token|key|\bpw/i;

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/**
 * Patterns follow the default configuration of gitleaks (config/gitleaks.toml at 009e025) or the detectors of TruffleHog
 * v3, as each row says; they are rewritten to limit backtracking.
 */
const SECRETS: readonly TextPattern[] = [
  // gitleaks: aws-access-token
  tokenPattern('AWS access key', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}/),
  // TruffleHog: aws. It has no specific format, and is recognized next to its id.
  {
    kind: 'AWS secret key',
    requiredText: 'AKIA',
    regex: /(?<![\w/+.-])[A-Za-z0-9/+]{40}(?![\w/+=-])/g,
    validate: looksRandom,
    context: /\bAKIA[A-Z2-7]{16}\b/,
  },
  // gitleaks: github-pat, github-oauth, github-app-token, github-refresh-token
  tokenPattern('GitHub token', /gh[pousr]_[A-Za-z0-9]{36}/, hasGithubChecksum),
  // gitleaks: github-fine-grained-pat
  tokenPattern('GitHub token', /github_pat_\w{82}/),
  // gitleaks: gitlab-pat, gitlab-pat-routable and related rules
  tokenPattern(
    'GitLab token',
    /gl(?:pat|ptt|rt|dt|cbt|ft|imt|agent|oas|soat)-[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?/,
  ),
  // gitleaks: openai-api-key. The middle is "OpenAI" in Base64.
  tokenPattern('OpenAI key', /sk-[\w-]{20,90}T3BlbkFJ[\w-]{20,80}/),
  // gitleaks: anthropic-api-key, anthropic-admin-api-key
  tokenPattern('Anthropic key', /sk-ant-[a-z]{3,6}\d\d-[\w-]{80,120}AA/),
  // TruffleHog: openrouter
  tokenPattern('OpenRouter key', /sk-or-v1-[a-f0-9]{64}/),
  // TruffleHog: langfuse
  tokenPattern('Langfuse secret key', /sk-lf-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/),
  // TruffleHog: langsmith
  tokenPattern('LangSmith key', /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/),
  // TruffleHog: groq
  tokenPattern('Groq key', /gsk_[A-Za-z0-9]{52}/),
  // gitleaks: perplexity-api-key
  tokenPattern('Perplexity key', /pplx-[A-Za-z0-9]{48}/),
  // gitleaks: huggingface-access-token
  tokenPattern('Hugging Face token', /hf_[A-Za-z]{34}/),
  // gitleaks: gcp-api-key
  tokenPattern('Google API key', /AIza[\w-]{35}/),
  // gitleaks: slack-bot-token, slack-user-token and their legacy forms
  tokenPattern('Slack token', /xox[abeoprs]-\d{8,14}-[A-Za-z0-9-]{18,200}/),
  // gitleaks: slack-app-token
  tokenPattern('Slack token', /xapp-\d-[A-Z0-9]{8,14}-\d{8,14}-[a-z0-9]{40,80}/),
  // gitleaks: slack-webhook-url
  tokenPattern('Slack webhook', /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{43,56}/),
  // gitleaks: stripe-access-token, without the keys of test mode
  tokenPattern('Stripe key', /[rs]k_live_[A-Za-z0-9]{20,99}/),
  // gitleaks: npm-access-token
  tokenPattern('npm token', /npm_[A-Za-z0-9]{36}/),
  // gitleaks: pypi-upload-token
  tokenPattern('PyPI token', /pypi-AgEIcHlwaS5vcmc[\w-]{50,1000}/),
  // gitleaks: sendgrid-api-token
  tokenPattern('SendGrid key', /SG\.[\w-]{22}\.[\w-]{43}/),
  // gitleaks: digitalocean-access-token, digitalocean-pat, digitalocean-refresh-token
  tokenPattern('DigitalOcean token', /do[opr]_v1_[a-f0-9]{64}/),
  // gitleaks: databricks-api-token
  tokenPattern('Databricks token', /dapi[a-f0-9]{32}(?:-\d)?/),
  // gitleaks: vault-service-token
  tokenPattern('Vault token', /hvs\.[\w-]{90,120}/),
  // gitleaks: shopify-access-token and related rules
  tokenPattern('Shopify token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/),
  // gitleaks: notion-api-token
  tokenPattern('Notion token', /ntn_\d{11}[A-Za-z0-9]{35}/),
  // gitleaks: linear-api-key
  tokenPattern('Linear key', /lin_api_[A-Za-z0-9]{40}/),
  // gitleaks: telegram-bot-api-token
  tokenPattern('Telegram bot token', /\d{8,10}:AA[\w-]{33}/),
  // gitleaks: azure-ad-client-secret
  tokenPattern('Azure client secret', /[\w~.]{3}\dQ~[\w~.-]{31,34}/),
  // TruffleHog: azure_storage
  { kind: 'Azure storage key', regex: /AccountKey=(?<value>[A-Za-z0-9+/]{86}==)/dg, validate: looksGenerated },
  // RFC 7519
  tokenPattern('JSON Web Token', /eyJ[\w-]{15,}\.eyJ[\w-]{15,}\.[\w-]{10,}/, isWebToken),
  // RFC 7468, and the labelled lines that RFC 1421 and OpenPGP put before the key
  {
    kind: 'private key',
    regex:
      /-----BEGIN[ A-Z]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){0,24}(?:[A-Za-z-]{1,30}: [^\n\r\\]{1,100}(?:[\n\r]|\\[nr]){1,4}[ \t]{0,16}){0,4}(?<value>[A-Za-z0-9+/]{40}[A-Za-z0-9+/=\s\\]*)/dg,
    validate: (value) => entropy(value) > 4.5,
  },
  // RFC 3986, section 3.2.1. A password for the local machine is harmless.
  {
    kind: 'password in a URL',
    regex:
      /(?<=\w):\/\/[^\s:@/?#"'`<>]{0,100}:(?<value>[^\s@/"'`<>{}$*\\]{8,200})@(?!127\.|0\.0\.|[\w.-]{0,100}\b(?:example|local(?:host|domain)?|test)\b)[\w-]{1,63}\.\w/dgi,
    validate: (value) =>
      /\d/.test(value) && /[a-z]/i.test(value) && !looksLikePlaceholder(value) && !COMMON_PASSWORD.test(value),
  },
  // gitleaks: generic-api-key, limited to names that almost only secrets have
  assignmentPattern('API key', /api[ _-]?key/),
  assignmentPattern('secret key', /secret[ _-]?(?:access[ _-]?)?key/),
  assignmentPattern('client secret', /client[ _-]?secret/),
  assignmentPattern('access token', /(?:access|auth|api|bearer|refresh)[ _-]?token/),
  assignmentPattern('password', /passw(?:or)?d/),
  {
    kind: 'password',
    regex: new RegExp(`passw(?:or)?d${SETS}${PASSWORD}`, 'dgi'),
    validate: looksLikePassword,
  },
  // RFC 6750, section 2.1
  { kind: 'access token', regex: new RegExp(String.raw`\bBearer {1,2}${OPAQUE}`, 'dg'), validate: looksRandom },
];

/**
 * Finds keys, tokens and passwords in a text. Precision comes before recall: placeholders, hashes, ids and code are not
 * reported.
 */
export function findSecrets(text: string): PatternMatch[] {
  return hasLongRun(text) || text.includes('://') || NAMES_PASSWORD.test(text) ? matchPatterns(text, SECRETS) : [];
}

const WORDS = /[^\s"'`<>,;:()[\]{}|\\=]{8,}/g;
const MAX_LENGTH = 150;

/** The values in a text that look random, including ids and hashes. */
export function findRandomValues(text: string): string[] {
  const words = Array.from(text.matchAll(WORDS), ([word]) =>
    word.length > MAX_LENGTH ? '' : word.replace(/[.?]+$/, ''),
  );
  return words.filter((word) => looksLikePassword(word) || (word.length >= 16 && looksRandom(word)));
}

/** A value that is recognized by its prefix. */
function tokenPattern(kind: string, form: RegExp, holds?: (value: string) => boolean): TextPattern {
  return {
    kind,
    // The letters of each prefix; the last may be one of several, or be missing.
    requiredText: /^[\w-]*(?![\w-]|[?*{|])/.exec(form.source)?.[0] ?? '',
    regex: new RegExp(`${START}${form.source}${END}`, 'g'),
    validate: (value) => looksGenerated(value) && (holds?.(value) ?? true),
  };
}

/** A value that is recognized by its name only: `api_key = "…"`, `**Password:** …`, `the API key of the shop is …`. */
function assignmentPattern(kind: string, name: RegExp): TextPattern {
  return { kind, regex: new RegExp(`${name.source}${SETS}${OPAQUE}`, 'dgi'), validate: looksRandom };
}

/** Whether a value in the format of a key can be one, and not a placeholder. */
function looksGenerated(value: string): boolean {
  return !looksLikePlaceholder(value) && entropy(value) >= 3;
}

/** Whether a value looks random, and not like a name, a path, a version or a public id. */
function looksRandom(value: string): boolean {
  if (looksLikePlaceholder(value) || UUID.test(value) || entropy(value) < 3.3) return false;
  const bare = value.replace(/[^A-Za-z0-9]/g, '');
  const changes = bare.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return changes >= 4;
}

/** Common replacements of letters by digits and punctuation. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a short value mixes letters of both cases, digits and punctuation more than a disguised word does. */
function looksLikePassword(value: string): boolean {
  if (value.length < 8 || value.length > 32 || looksLikePlaceholder(value)) return false;
  if (![/[a-z]/, /[A-Z]/, /\d/, /[^\w.-]/].every((kind) => kind.test(value))) return false;
  if ([/[^A-Za-z]/g, /\D/g].some((other) => hasSequence(value.replace(other, '').toLowerCase(), 4))) return false;
  const plain = value.replace(/[013457@$!]/g, (sign) => LOOKALIKES[sign] ?? sign);
  if (COMMON_PASSWORD.test(plain) || PLACEHOLDER.test(plain)) return false;
  const changes = value.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Z])|\d(?=\D)|[^A-Za-z\d](?=[A-Za-z\d])/g)?.length ?? 0;
  return changes > value.length / 2;
}

function looksLikePlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /(.)\1{4}/.test(value) || hasSequence(value);
}

/** Contains `123456` or six consecutive letters of the alphabet. */
function hasSequence(value: string, length = 6): boolean {
  let run = 1;
  for (let i = 1; i < value.length; i += 1) {
    run = value.charCodeAt(i) === value.charCodeAt(i - 1) + 1 ? run + 1 : 1;
    if (run === length) return true;
  }
  return false;
}

/** Shannon's entropy of the characters of a text, in bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (let i = 0; i < text.length; i += 1) counts.set(text.charAt(i), (counts.get(text.charAt(i)) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Its first part is a JSON object with the signature algorithm; its second part is not that of an example. */
function isWebToken(value: string): boolean {
  const [head = '', claims = ''] = value.split('.', 2).map(decodeBase64Url);
  const header = parseJson(head);
  return isObject(header) && typeof header.alg === 'string' && !/example/i.test(claims) && !hasSequence(claims);
}

/** Decodes base64url; empty if it is invalid. */
function decodeBase64Url(part: string): string {
  try {
    return atob(part.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The last six characters of a GitHub token are the CRC-32 of the thirty before them, in base 62.
 * Source: "Behind GitHub's new authentication token formats", the GitHub blog, 2021-04-05.
 */
function hasGithubChecksum(value: string): boolean {
  let rest = crc32(value.slice(4, -6));
  let checksum = '';
  for (let i = 0; i < 6; i += 1) {
    checksum = BASE62.charAt(rest % 62) + checksum;
    rest = Math.floor(rest / 62);
  }
  return value.endsWith(checksum);
}

/** Of ASCII text: ISO 3309, as zlib computes it. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Replaces every secret in a text by its kind: `[REDACTED AWS access key]`. */
export function redactSecrets(text: string): string {
  let output = '';
  let from = 0;
  for (const { kind, start, end } of findSecrets(text)) {
    output += `${text.slice(from, start)}[REDACTED ${kind}]`;
    from = end;
  }
  return from === 0 ? text : output + text.slice(from);
}
