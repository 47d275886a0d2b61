import { crc32 } from 'node:zlib';
import { BASE62, BASE64, BASE64URL, DIGITS, HEX, LOWER, randomText, UPPER } from '../../support/random-text.ts';

/** Draws text; each call draws other text. */
export type Draw = (length: number, alphabet: string) => string;

export function createDraw(seed: number): Draw {
  let calls = 0;
  return (length, alphabet) => {
    calls += 1;
    return randomText(seed * 7919 + calls * 104_729, length, alphabet);
  };
}

/**
 * What a secret needs around it:
 * - `token`: nothing, its own form identifies it;
 * - `named`: a name, such as that of its variable;
 * - `password`: a name; people choose it or a password manager draws it;
 * - `block`: nothing; it has several lines;
 * - `phrase`: it stands in a text of its own, such as a URL or a connection string.
 */
export type SecretShape = 'token' | 'named' | 'password' | 'block' | 'phrase';

export interface SecretKind {
  readonly shape: SecretShape;
  /** Its usual environment variable. */
  readonly variable: string;
  /** Its name in a sentence. */
  readonly label: string;
  readonly make: (draw: Draw) => string | Phrase;
}

/** A text that contains a secret. */
export interface Phrase {
  readonly text: string;
  readonly secret: string;
}

const ALNUM_LOWER = `${LOWER}${DIGITS}`;
const ALNUM_UPPER = `${UPPER}${DIGITS}`;
const BASE32 = `${UPPER}234567`;
const LETTERS = `${UPPER}${LOWER}`;

const kind =
  (shape: SecretShape) =>
  (variable: string, label: string, make: SecretKind['make']): SecretKind => ({ shape, variable, label, make });
const token = kind('token');
const named = kind('named');
const password = kind('password');
const block = kind('block');
const phrase = kind('phrase');

function uuid(draw: Draw): string {
  return [8, 4, 4, 4, 12].map((length) => draw(length, HEX)).join('-');
}

function base64Of(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

function webToken(draw: Draw, claims: object = {}): string {
  const payload = { sub: draw(12, HEX), iat: 1_761_000_000, ...claims };
  return `${base64Of({ alg: 'HS256', typ: 'JWT' })}.${base64Of(payload)}.${draw(43, BASE64URL)}`;
}

/** Six characters of base 62 over the CRC-32 of the rest, as GitHub and npm append them. */
function withChecksum(prefix: string, body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < 6; i += 1) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return `${prefix}${body}${digits}`;
}

function pem(draw: Draw, title: string, lines: number, headers: readonly string[] = []): string {
  const body = Array.from({ length: lines }, () => draw(64, BASE64));
  return [`-----BEGIN ${title}-----`, ...headers, ...body, `${draw(46, BASE64)}==`, `-----END ${title}-----`].join(
    '\n',
  );
}

const at = (text: string, secret: string): Phrase => ({ text: text.replace('{}', () => secret), secret });

const WORDS =
  'amber basin cedar delta ember fjord grove hazel inlet jolly kiosk lemur mango noble olive pearl quilt raven salsa tulip umbra vapor willow xenon yodel zebra'.split(
    ' ',
  );
const wordFrom = (draw: Draw) => WORDS[Number.parseInt(draw(3, DIGITS), 10) % WORDS.length] ?? '';

/** Secrets in the form that each service documents or issues. */
export const SECRET_KINDS: Readonly<Record<string, SecretKind>> = {
  // Clouds
  'AWS access key': token('AWS_ACCESS_KEY_ID', 'AWS access key', (d) => `AKIA${d(16, BASE32)}`),
  'AWS secret access key': named('AWS_SECRET_ACCESS_KEY', 'AWS secret access key', (d) => d(40, BASE64)),
  'AWS session token': named('AWS_SESSION_TOKEN', 'AWS session token', (d) => `IQoJb3JpZ2luX2Vj${d(340, BASE64)}==`),
  'AWS Bedrock key': token('AWS_BEARER_TOKEN_BEDROCK', 'Bedrock API key', (d) => `ABSK${d(128, BASE64)}`),
  'Google API key': token('GOOGLE_API_KEY', 'Google API key', (d) => `AIzaSy${d(33, BASE64URL)}`),
  'Google OAuth client secret': token(
    'GOOGLE_CLIENT_SECRET',
    'Google client secret',
    (d) => `GOCSPX-${d(28, BASE64URL)}`,
  ),
  'Google access token': token('GOOGLE_ACCESS_TOKEN', 'Google access token', (d) => `ya29.a0A${d(160, BASE64URL)}`),
  'Google refresh token': token(
    'GOOGLE_REFRESH_TOKEN',
    'Google refresh token',
    (d) => `1//0${d(1, DIGITS)}${d(95, BASE64URL)}`,
  ),
  'Azure storage key': phrase('AZURE_STORAGE_CONNECTION_STRING', 'storage connection', (d) =>
    at(
      'DefaultEndpointsProtocol=https;AccountName=orders;AccountKey={};EndpointSuffix=core.windows.net',
      `${d(86, BASE64)}==`,
    ),
  ),
  'Azure client secret': token(
    'AZURE_CLIENT_SECRET',
    'Azure client secret',
    (d) => `${d(3, BASE62)}8Q~${d(34, `${BASE62}~.-_`)}`,
  ),
  'Azure OpenAI key': named('AZURE_OPENAI_API_KEY', 'Azure OpenAI API key', (d) => d(32, HEX)),
  'Azure SAS signature': phrase('AZURE_SAS_URL', 'download link', (d) =>
    at(
      'https://orders.blob.core.windows.net/exports/2026.csv?sv=2024-11-04&ss=b&srt=o&sp=r&se=2026-12-01T00:00:00Z&spr=https&sig={}',
      encodeURIComponent(`${d(43, BASE64)}=`),
    ),
  ),
  'Azure Service Bus key': phrase('SERVICEBUS_CONNECTION_STRING', 'queue connection', (d) =>
    at(
      'Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={}',
      `${d(43, BASE64)}=`,
    ),
  ),
  'Azure DevOps token': named('AZURE_DEVOPS_PAT', 'Azure DevOps personal access token', (d) => d(52, `${LOWER}234567`)),
  'Cloudflare API token': named('CLOUDFLARE_API_TOKEN', 'Cloudflare API token', (d) => d(40, BASE64URL)),
  'DigitalOcean token': token('DIGITALOCEAN_TOKEN', 'DigitalOcean token', (d) => `dop_v1_${d(64, HEX)}`),
  'Heroku key': token('HEROKU_API_KEY', 'Heroku API key', (d) => `HRKU-AA${d(58, BASE64URL)}`),
  'Fly.io token': token('FLY_API_TOKEN', 'Fly.io token', (d) => `fm2_${d(400, BASE64)}`),
  'Netlify token': token('NETLIFY_AUTH_TOKEN', 'Netlify token', (d) => `nfp_${d(36, BASE62)}`),
  'Vercel token': named('VERCEL_TOKEN', 'Vercel token', (d) => d(24, BASE62)),
  'Supabase token': token('SUPABASE_ACCESS_TOKEN', 'Supabase access token', (d) => `sbp_${d(40, HEX)}`),
  'PlanetScale token': token('PLANETSCALE_SERVICE_TOKEN', 'PlanetScale token', (d) => `pscale_tkn_${d(43, BASE64URL)}`),
  'Vault token': token('VAULT_TOKEN', 'Vault token', (d) => `hvs.${d(95, BASE62)}`),
  'Terraform Cloud token': token('TFE_TOKEN', 'Terraform token', (d) => `${d(14, BASE62)}.atlasv1.${d(67, BASE62)}`),
  'Doppler token': token('DOPPLER_TOKEN', 'Doppler token', (d) => `dp.pt.${d(43, BASE62)}`),
  'Pulumi token': token('PULUMI_ACCESS_TOKEN', 'Pulumi access token', (d) => `pul-${d(40, HEX)}`),
  'Alibaba key': token('ALIBABA_CLOUD_ACCESS_KEY_ID', 'Alibaba access key', (d) => `LTAI5t${d(18, BASE62)}`),

  // Models
  'OpenAI project key': token(
    'OPENAI_API_KEY',
    'OpenAI API key',
    (d) => `sk-proj-${d(74, BASE64URL)}T3BlbkFJ${d(74, BASE64URL)}`,
  ),
  'OpenAI key of 2023': token('OPENAI_API_KEY', 'OpenAI API key', (d) => `sk-${d(20, BASE62)}T3BlbkFJ${d(20, BASE62)}`),
  'bare sk- key': token('DEEPSEEK_API_KEY', 'DeepSeek API key', (d) => `sk-${d(32, HEX)}`),
  'sk- key of a proxy': token('LITELLM_API_KEY', 'LiteLLM key', (d) => `sk-${d(22, BASE64URL)}`),
  'Anthropic key': token('ANTHROPIC_API_KEY', 'Anthropic API key', (d) => `sk-ant-api03-${d(93, BASE64URL)}AA`),
  'OpenRouter key': token('OPENROUTER_API_KEY', 'OpenRouter key', (d) => `sk-or-v1-${d(64, HEX)}`),
  'Groq key': token('GROQ_API_KEY', 'Groq key', (d) => `gsk_${d(52, BASE62)}`),
  'xAI key': token('XAI_API_KEY', 'xAI key', (d) => `xai-${d(80, BASE62)}`),
  'Perplexity key': token('PERPLEXITY_API_KEY', 'Perplexity key', (d) => `pplx-${d(48, BASE62)}`),
  'Hugging Face token': token('HF_TOKEN', 'Hugging Face token', (d) => `hf_${d(34, LETTERS)}`),
  'Replicate token': token('REPLICATE_API_TOKEN', 'Replicate token', (d) => `r8_${d(37, BASE62)}`),
  'Mistral key': named('MISTRAL_API_KEY', 'Mistral API key', (d) => d(32, BASE62)),
  'Cohere key': named('COHERE_API_KEY', 'Cohere API key', (d) => d(40, BASE62)),
  'Together key': named('TOGETHER_API_KEY', 'Together API key', (d) => d(64, HEX)),
  'Fireworks key': token('FIREWORKS_API_KEY', 'Fireworks key', (d) => `fw_${d(24, BASE62)}`),
  'Cerebras key': token('CEREBRAS_API_KEY', 'Cerebras key', (d) => `csk-${d(48, ALNUM_LOWER)}`),
  'NVIDIA key': token('NVIDIA_API_KEY', 'NVIDIA key', (d) => `nvapi-${d(64, BASE64URL)}`),
  'Voyage key': token('VOYAGE_API_KEY', 'Voyage key', (d) => `pa-${d(43, BASE64URL)}`),
  'Jina key': token('JINA_API_KEY', 'Jina key', (d) => `jina_${d(60, BASE64URL)}`),
  'Tavily key': token('TAVILY_API_KEY', 'Tavily key', (d) => `tvly-dev-${d(32, BASE62)}`),
  'Pinecone key': token('PINECONE_API_KEY', 'Pinecone key', (d) => `pcsk_${d(6, BASE62)}_${d(63, BASE62)}`),
  'ElevenLabs key': token('ELEVENLABS_API_KEY', 'ElevenLabs key', (d) => `sk_${d(48, HEX)}`),
  'Langfuse secret key': token('LANGFUSE_SECRET_KEY', 'Langfuse secret key', (d) => `sk-lf-${uuid(d)}`),
  'LangSmith key': token('LANGSMITH_API_KEY', 'LangSmith key', (d) => `lsv2_pt_${d(32, HEX)}_${d(10, HEX)}`),
  'Weights & Biases key': named('WANDB_API_KEY', 'W&B API key', (d) => d(40, HEX)),

  // Source control and packages
  'GitHub token': token('GITHUB_TOKEN', 'GitHub token', (d) => withChecksum('ghp_', d(30, BASE62))),
  'GitHub App token': token('GH_TOKEN', 'GitHub token', (d) => withChecksum('ghs_', d(30, BASE62))),
  'GitHub fine-grained token': token(
    'GITHUB_TOKEN',
    'GitHub token',
    (d) => `github_pat_${d(22, BASE62)}_${d(59, BASE62)}`,
  ),
  'GitLab token': token('GITLAB_TOKEN', 'GitLab token', (d) => `glpat-${d(20, BASE64URL)}`),
  'GitLab runner token': token('CI_RUNNER_TOKEN', 'GitLab runner token', (d) => `glrt-${d(20, BASE64URL)}`),
  'Bitbucket app password': token('BITBUCKET_APP_PASSWORD', 'Bitbucket app password', (d) => `ATBB${d(32, BASE62)}`),
  'Atlassian API token': token(
    'JIRA_API_TOKEN',
    'Jira API token',
    (d) => `ATATT3xFfGF0${d(171, BASE64URL)}=${d(8, `${DIGITS}ABCDEF`)}`,
  ),
  'npm token': token('NPM_TOKEN', 'npm token', (d) => withChecksum('npm_', d(30, BASE62))),
  'PyPI token': token('TWINE_PASSWORD', 'PyPI token', (d) => `pypi-AgEIcHlwaS5vcmc${d(140, BASE64URL)}`),
  'RubyGems key': token('GEM_HOST_API_KEY', 'RubyGems key', (d) => `rubygems_${d(48, HEX)}`),
  'crates.io token': token('CARGO_REGISTRY_TOKEN', 'crates.io token', (d) => `cio${d(32, BASE62)}`),
  'Docker Hub token': token('DOCKERHUB_TOKEN', 'Docker Hub token', (d) => `dckr_pat_${d(27, BASE64URL)}`),
  'NuGet key': token('NUGET_API_KEY', 'NuGet API key', (d) => `oy2${d(43, ALNUM_LOWER)}`),
  'CircleCI token': token('CIRCLECI_TOKEN', 'CircleCI token', (d) => `CCIPAT_${d(22, BASE62)}_${d(40, HEX)}`),
  'Buildkite token': token('BUILDKITE_API_TOKEN', 'Buildkite token', (d) => `bkua_${d(40, HEX)}`),
  'SonarQube token': token('SONAR_TOKEN', 'Sonar token', (d) => `sqp_${d(40, HEX)}`),
  'JFrog key': token('ARTIFACTORY_API_KEY', 'Artifactory API key', (d) => `AKCp${d(69, BASE62)}`),

  // Communication
  'Slack bot token': token(
    'SLACK_BOT_TOKEN',
    'Slack bot token',
    (d) => `xoxb-${d(12, DIGITS)}-${d(13, DIGITS)}-${d(24, BASE62)}`,
  ),
  'Slack app token': token(
    'SLACK_APP_TOKEN',
    'Slack app token',
    (d) => `xapp-1-A${d(10, ALNUM_UPPER)}-${d(13, DIGITS)}-${d(64, HEX)}`,
  ),
  'Slack webhook': phrase('SLACK_WEBHOOK_URL', 'Slack webhook', (d) =>
    at('https://hooks.slack.com/services/{}', `T${d(10, ALNUM_UPPER)}/B${d(10, ALNUM_UPPER)}/${d(24, BASE62)}`),
  ),
  'Discord bot token': token(
    'DISCORD_TOKEN',
    'Discord bot token',
    (d) => `${base64Of(`1${d(18, DIGITS)}`)}.G${d(5, BASE64URL)}.${d(38, BASE64URL)}`,
  ),
  'Discord webhook': phrase('DISCORD_WEBHOOK', 'Discord webhook', (d) =>
    at(`https://discord.com/api/webhooks/1${d(18, DIGITS)}/{}`, d(68, BASE64URL)),
  ),
  'Telegram bot token': token(
    'TELEGRAM_BOT_TOKEN',
    'Telegram bot token',
    (d) => `${d(10, DIGITS)}:AA${d(33, BASE64URL)}`,
  ),
  'Twilio auth token': named('TWILIO_AUTH_TOKEN', 'Twilio auth token', (d) => d(32, HEX)),
  'SendGrid key': token('SENDGRID_API_KEY', 'SendGrid key', (d) => `SG.${d(22, BASE64URL)}.${d(43, BASE64URL)}`),
  'Mailgun key': token('MAILGUN_API_KEY', 'Mailgun key', (d) => `key-${d(32, HEX)}`),
  'Mailchimp key': token('MAILCHIMP_API_KEY', 'Mailchimp key', (d) => `${d(32, HEX)}-us1${d(1, DIGITS)}`),
  'Resend key': token('RESEND_API_KEY', 'Resend key', (d) => `re_${d(8, BASE62)}_${d(24, BASE62)}`),
  'Brevo key': token('BREVO_API_KEY', 'Brevo key', (d) => `xkeysib-${d(64, HEX)}-${d(16, BASE62)}`),

  // Payment and commerce
  'Stripe key': token('STRIPE_SECRET_KEY', 'Stripe secret key', (d) => `sk_live_51${d(97, BASE62)}`),
  'Stripe webhook secret': token('STRIPE_WEBHOOK_SECRET', 'Stripe webhook secret', (d) => `whsec_${d(32, BASE62)}`),
  'Square token': token('SQUARE_ACCESS_TOKEN', 'Square access token', (d) => `EAAAE${d(59, BASE64URL)}`),
  'PayPal client secret': named('PAYPAL_CLIENT_SECRET', 'PayPal client secret', (d) => `E${d(79, BASE64URL)}`),
  'Shopify token': token('SHOPIFY_ACCESS_TOKEN', 'Shopify access token', (d) => `shpat_${d(32, HEX)}`),
  'Plaid secret': named('PLAID_SECRET', 'Plaid secret', (d) => d(30, HEX)),

  // Observability and work
  'Grafana token': token('GRAFANA_TOKEN', 'Grafana token', (d) => `glsa_${d(32, BASE62)}_${d(8, HEX)}`),
  'Datadog API key': named('DD_API_KEY', 'Datadog API key', (d) => d(32, HEX)),
  'New Relic key': token('NEW_RELIC_API_KEY', 'New Relic key', (d) => `NRAK-${d(27, ALNUM_UPPER)}`),
  'Sentry token': token('SENTRY_AUTH_TOKEN', 'Sentry token', (d) => `sntryu_${d(64, HEX)}`),
  'Databricks token': token('DATABRICKS_TOKEN', 'Databricks token', (d) => `dapi${d(32, HEX)}`),
  'Postman key': token('POSTMAN_API_KEY', 'Postman key', (d) => `PMAK-${d(24, HEX)}-${d(34, HEX)}`),
  'Linear key': token('LINEAR_API_KEY', 'Linear key', (d) => `lin_api_${d(40, BASE62)}`),
  'Notion token': token('NOTION_TOKEN', 'Notion token', (d) => `ntn_${d(11, DIGITS)}${d(35, BASE62)}`),
  'Airtable token': token('AIRTABLE_TOKEN', 'Airtable token', (d) => `pat${d(14, BASE62)}.${d(64, HEX)}`),
  'Figma token': token('FIGMA_TOKEN', 'Figma token', (d) => `figd_${d(40, BASE64URL)}`),
  'HubSpot token': token('HUBSPOT_TOKEN', 'HubSpot token', (d) => `pat-na1-${uuid(d)}`),
  'Mapbox token': token(
    'MAPBOX_SECRET_TOKEN',
    'Mapbox token',
    (d) => `sk.${base64Of({ u: 'orders', a: d(25, ALNUM_LOWER) })}.${d(22, BASE64URL)}`,
  ),
  'Algolia admin key': named('ALGOLIA_ADMIN_API_KEY', 'Algolia admin API key', (d) => d(32, HEX)),
  'Okta token': named('OKTA_API_TOKEN', 'Okta API token', (d) => `00${d(40, BASE64URL)}`),
  'Dropbox token': token('DROPBOX_ACCESS_TOKEN', 'Dropbox access token', (d) => `sl.B${d(136, BASE64URL)}`),
  'Facebook token': token('FACEBOOK_ACCESS_TOKEN', 'Facebook access token', (d) => `EAA${d(180, BASE62)}`),

  // Of a user's own application
  'JSON Web Token': token('ACCESS_TOKEN', 'access token', (d) => webToken(d)),
  'id token': named('ID_TOKEN', 'id token', (d) => webToken(d, { email: 'j.doe@shop.io' })),
  'opaque token': named('TOKEN', 'token', (d) => d(43, BASE64URL)),
  'bearer token': named('BEARER_TOKEN', 'bearer token', (d) => d(40, BASE62)),
  'web token secret': named('JWT_SECRET', 'JWT secret', (d) => `${d(43, BASE64)}=`),
  'session secret': named('SESSION_SECRET', 'session secret', (d) => d(64, HEX)),
  'Django secret key': named('SECRET_KEY', 'secret key', (d) => d(50, `${ALNUM_LOWER}!@#%^*(-_=+)`)),
  'Rails secret': named('SECRET_KEY_BASE', 'secret key base', (d) => d(128, HEX)),
  'encryption key': named('ENCRYPTION_KEY', 'encryption key', (d) => `${d(43, BASE64)}=`),
  'webhook signing secret': named('SIGNING_SECRET', 'signing secret', (d) => d(32, HEX)),
  'wallet key': named('PRIVATE_KEY', 'private key', (d) => `0x${d(64, HEX)}`),
  'WireGuard key': phrase('WG_CONFIG', 'WireGuard configuration', (d) =>
    at('[Interface]\nPrivateKey = {}\nAddress = 10.7.0.2/32', `${d(43, BASE64)}=`),
  ),
  'one-time password secret': phrase('OTP_URI', 'authenticator link', (d) =>
    at('otpauth://totp/Shop:ada@shop.io?secret={}&issuer=Shop', d(32, BASE32)),
  ),
  'session cookie': phrase('COOKIE', 'request', (d) =>
    at('GET /account HTTP/1.1\nHost: shop.io\nCookie: theme=dark; sessionid={}; lang=en', d(32, ALNUM_LOWER)),
  ),
  'set cookie': phrase('SET_COOKIE', 'response', (d) =>
    at('HTTP/1.1 200 OK\nSet-Cookie: connect.sid=s%3A{}; Path=/; HttpOnly', `${d(32, BASE64URL)}.${d(43, BASE62)}`),
  ),
  'basic authorization': phrase('AUTH_HEADER', 'request', (d) =>
    at('Authorization: Basic {}', Buffer.from(`deploy:${d(18, BASE62)}`).toString('base64')),
  ),
  'S3 signature': phrase('S3_URL', 'download link', (d) =>
    at(
      `https://orders.s3.eu-west-1.amazonaws.com/exports/2026.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261101T080000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature={}`,
      d(64, HEX),
    ),
  ),
  'Cloud Storage signature': phrase('GCS_URL', 'download link', (d) =>
    at(
      'https://storage.googleapis.com/orders/2026.csv?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Date=20261101T080000Z&X-Goog-Expires=900&X-Goog-SignedHeaders=host&X-Goog-Signature={}',
      d(512, HEX),
    ),
  ),
  'CloudFront signature': phrase('CDN_URL', 'download link', (d) =>
    at(
      'https://d1a2b3c4d5e6f7.cloudfront.net/v/7.mp4?Expires=1767225600&Signature={}&Key-Pair-Id=K2JCJMDEHXQW5F',
      d(342, `${BASE62}~-_`),
    ),
  ),
  'key in a query': phrase('WEATHER_URL', 'request', (d) =>
    at('https://api.weather.io/v3/now?q=Oslo&apikey={}&units=si', d(32, BASE62)),
  ),
  'token in a redirect': phrase('CALLBACK', 'redirect', (d) =>
    at(
      'HTTP/1.1 302 Found\nLocation: https://app.shop.io/callback#access_token={}&token_type=bearer&expires_in=3600',
      d(48, BASE62),
    ),
  ),
  'code in a redirect': phrase('CALLBACK', 'redirect', (d) =>
    at('HTTP/1.1 302 Found\nLocation: https://app.shop.io/callback?code={}&state=orders', d(43, BASE64URL)),
  ),
  'reset link': phrase('RESET_URL', 'reset link', (d) => at('https://shop.io/reset-password?token={}', d(40, HEX))),
  'database URL': phrase('DATABASE_URL', 'database', (d) =>
    at('postgresql://orders:{}@db.shop.io:5432/orders?sslmode=require', d(20, BASE62)),
  ),
  'MongoDB URL': phrase('MONGO_URL', 'database', (d) =>
    at('mongodb+srv://app:{}@cluster0.ab1cd.mongodb.net/shop', d(16, BASE62)),
  ),
  'Redis URL': phrase('REDIS_URL', 'cache', (d) => at('rediss://default:{}@cache.shop.io:6380/0', d(24, BASE62))),
  'AMQP URL': phrase('AMQP_URL', 'queue', (d) => at('amqps://orders:{}@mq.shop.io/orders', d(32, BASE64URL))),
  'git remote': phrase('GIT_REMOTE', 'remote', (d) =>
    at('https://oauth2:{}@git.shop.io/shop/orders.git', d(20, BASE64URL)),
  ),
  'ADO.NET connection string': phrase('CONNECTION_STRING', 'database', (d) =>
    at(
      'Server=tcp:db.shop.io,1433;Database=orders;User ID=app;Password={};Encrypt=True;',
      `${d(18, BASE62)}!${d(1, DIGITS)}`,
    ),
  ),
  'netrc password': phrase('NETRC', 'netrc file', (d) =>
    at('machine git.shop.io\n  login deploy\n  password {}', d(20, BASE62)),
  ),
  'npmrc token': phrase('NPMRC', 'npmrc file', (d) => at('//npm.shop.io/:_authToken={}', d(36, BASE62))),
  'Docker login': phrase('DOCKER_CONFIG', 'Docker configuration', (d) =>
    at('{"auths":{"registry.shop.io":{"auth":"{}"}}}', Buffer.from(`deploy:${d(20, BASE62)}`).toString('base64')),
  ),

  // Private keys
  'RSA private key': block('RSA_KEY', 'key', (d) => pem(d, 'RSA PRIVATE KEY', 24)),
  'PKCS #8 private key': block('TLS_KEY', 'key', (d) => pem(d, 'PRIVATE KEY', 25)),
  'EC private key': block('EC_KEY', 'key', (d) => pem(d, 'EC PRIVATE KEY', 2)),
  'OpenSSH private key': block('SSH_KEY', 'key', (d) => pem(d, 'OPENSSH PRIVATE KEY', 5)),
  'encrypted RSA private key': block('RSA_KEY', 'key', (d) =>
    pem(d, 'RSA PRIVATE KEY', 24, ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-128-CBC,${d(32, `${DIGITS}ABCDEF`)}`, '']),
  ),
  'encrypted PKCS #8 private key': block('TLS_KEY', 'key', (d) => pem(d, 'ENCRYPTED PRIVATE KEY', 26)),
  'OpenPGP private key': block('PGP_KEY', 'key', (d) => pem(d, 'PGP PRIVATE KEY BLOCK', 12, ['Version: GnuPG v2', ''])),
  'Google service account': block('GOOGLE_CREDENTIALS', 'credentials', (d) => ({
    text: JSON.stringify(
      { type: 'service_account', project_id: 'shop', private_key: pem(d, 'PRIVATE KEY', 25), client_id: d(21, DIGITS) },
      null,
      2,
    ),
    secret: '',
  })),
  'age secret key': token('AGE_KEY', 'age key', (d) => `AGE-SECRET-KEY-1${d(58, 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L')}`),

  // Passwords, as password managers and people make them
  'password of 14 characters': password('DB_PASSWORD', 'password', (d) =>
    withAll(d, 14, BASE62, [LOWER, UPPER, DIGITS]),
  ),
  'password of 20 characters': password('ADMIN_PASSWORD', 'password', (d) =>
    withAll(d, 20, BASE62, [LOWER, UPPER, DIGITS]),
  ),
  'password with signs': password('SMTP_PASSWORD', 'password', (d) =>
    withAll(d, 16, `${BASE62}!@#$%^&*`, [LOWER, UPPER, DIGITS, '!@#$%^&*']),
  ),
  'short password with signs': password('LOGIN_PASSWORD', 'password', (d) =>
    withAll(d, 10, `${BASE62}!#$%*`, [LOWER, UPPER, DIGITS, '!#$%*']),
  ),
  'password of a browser': password('SITE_PASSWORD', 'password', (d) =>
    withAll(d, 15, `${BASE62}-_.:!`, [LOWER, UPPER, DIGITS]),
  ),
  'password in groups': password('ICLOUD_PASSWORD', 'password', (d) => {
    const group = () => d(6, LOWER);
    return `${group()}-${d(1, DIGITS)}${d(2, LOWER)}${d(1, UPPER)}${d(2, LOWER)}-${group()}`;
  }),
  'app password': password('GMAIL_APP_PASSWORD', 'app password', (d) =>
    Array.from({ length: 4 }, () => d(4, LOWER)).join(' '),
  ),
  'password of openssl': password('MYSQL_ROOT_PASSWORD', 'password', (d) => d(32, BASE64)),
  'passphrase of words': password('VAULT_PASSPHRASE', 'passphrase', (d) =>
    [wordFrom(d), wordFrom(d), wordFrom(d), wordFrom(d), d(2, DIGITS)].join('-'),
  ),
};

/** Draws a password with at least one character of each alphabet, as password managers guarantee. */
function withAll(draw: Draw, length: number, alphabet: string, required: readonly string[]): string {
  for (;;) {
    const value = draw(length, alphabet);
    const ends = `${value.charAt(0)}${value.charAt(length - 1)}`;
    const hasAll = required.every((letters) => [...letters].some((letter) => value.includes(letter)));
    if (hasAll && /^\w+$/.test(ends)) return value;
  }
}
