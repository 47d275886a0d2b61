import type { TextPattern } from '../text-pattern.ts';
import { hasGithubChecksum, isWebToken } from './checksums.ts';
import { looksGenerated, looksRandom, looksRandomWithName } from './value-checks.ts';

/** A token that begins with the letters of its vendor. */
export interface TokenForm {
  readonly kind: string;
  /** At least three characters each. */
  readonly prefixes: readonly string[];
  /** What follows the prefix. */
  readonly rest: RegExp;
  /** What the form cannot say. */
  readonly holds: (value: string) => boolean;
}

function form(kind: string, prefixes: string, rest: RegExp, holds: TokenForm['holds'] = () => true): TokenForm {
  return { kind, prefixes: prefixes.split(' '), rest, holds: (value) => looksGenerated(value) && holds(value) };
}

/** A form whose prefix alone is weak: the value must look random too. */
function weakForm(kind: string, prefixes: string, rest: RegExp): TokenForm {
  return form(kind, prefixes, rest, (value) => looksRandomWithName(value.slice(3)));
}

/** A bot's token begins with its id in Base64, and an id with two digits. */
const DISCORD_IDS = Array.from({ length: 90 }, (_, number) => btoa(String(number + 10)).slice(0, 3)).join(' ');

/** The keys of several vendors, and of proxies for them, begin so. */
const SK = weakForm('API key', 'sk-', /[\w-]{20,220}/);

/**
 * The forms are facts of the default configuration of gitleaks (config/gitleaks.toml at b58d3f10), of the detectors of
 * TruffleHog (pkg/detectors at 3ab759fe), or of the vendor's documentation. The first that matches names the kind.
 */
export const TOKEN_FORMS: readonly TokenForm[] = [
  // gitleaks
  form('AWS access key', 'AKIA ASIA ABIA ACCA', /[A-Z2-7]{16}/),
  form('AWS Bedrock key', 'ABSK', /[A-Za-z0-9+/]{109,269}={0,2}/),
  form('GitHub token', 'ghp_ gho_ ghu_ ghs_ ghr_', /[A-Za-z0-9]{36}/, hasGithubChecksum),
  form('GitHub token', 'github_pat_', /\w{82}/),
  form(
    'GitLab token',
    'glpat- glptt- glrt- gldt- glcbt- glft- glffct- glimt- glagent- gloas- glsoat-',
    /[\w-]{20,300}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?/,
  ),
  form('GitLab token', 'GR1348941', /[\w-]{20}/),
  form('OpenAI key', 'sk-', /[\w-]{20,90}T3BlbkFJ[\w-]{20,80}/),
  form('Anthropic key', 'sk-ant-', /[a-z]{3,6}\d\d-[\w-]{80,120}AA/),
  form('Perplexity key', 'pplx-', /[A-Za-z0-9]{48}/),
  form('Hugging Face token', 'hf_ api_org_', /[A-Za-z]{34}/),
  form('Google API key', 'AIza', /[\w-]{35}/),
  form('Slack token', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-', /\d{8,14}-[A-Za-z0-9-]{18,200}/),
  form('Slack token', 'xoxe-1- xoxe.xoxp-1- xoxe.xoxb-1-', /[A-Z0-9]{146,166}/i),
  form('Slack token', 'xapp-', /\d-[A-Z0-9]{8,14}-\d{8,14}-[a-z0-9]{40,80}/),
  form('Slack webhook', 'hooks.slack.com/', /(?:services|workflows|triggers)\/[A-Za-z0-9+/]{40,80}/),
  // Keys of Stripe's test mode are harmless.
  form('Stripe key', 'sk_live_ rk_live_ sk_prod_ rk_prod_', /[A-Za-z0-9]{20,247}/),
  form('npm token', 'npm_', /[A-Za-z0-9]{36}/),
  form('PyPI token', 'pypi-AgEIcHlwaS5vcmc', /[\w-]{50,1000}/),
  form('SendGrid key', 'SG.', /[\w-]{22}\.[\w-]{43}/),
  form('DigitalOcean token', 'doo_v1_ dop_v1_ dor_v1_', /[a-f0-9]{64}/),
  form('Databricks token', 'dapi', /[a-f0-9]{32}(?:-\d)?/),
  form('Vault token', 'hvs. hvb.', /[\w-]{90,300}/),
  form('Shopify token', 'shpat_ shpca_ shppa_ shpss_', /[a-fA-F0-9]{32}/),
  form('Notion token', 'ntn_', /\d{11}[A-Za-z0-9]{35}/),
  form('Linear key', 'lin_api_ lin_oauth_', /[A-Za-z0-9]{40}/),
  form('1Password token', 'ops_eyJ', /[A-Za-z0-9+/]{200,2000}={0,3}/),
  form('1Password secret key', 'A3-', /[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/),
  weakForm('Adobe client secret', 'p8e-', /[a-z0-9]{32}/i),
  form('age secret key', 'AGE-SECRET-KEY-1', /[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/),
  weakForm('Airtable token', 'pat', /[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
  weakForm('Alibaba access key', 'LTAI', /[a-z0-9]{20}/i),
  form('Artifactory key', 'AKCp', /[A-Za-z0-9]{69}/),
  form('Artifactory key', 'cmVmd', /[A-Za-z0-9]{59}/),
  form('Cloudflare key', 'v1.0-', /[a-f0-9]{24}-[a-f0-9]{146}/),
  form('Clojars token', 'CLOJARS_', /[a-z0-9]{60}/i),
  form('Doppler token', 'dp.ct. dp.pt. dp.st. dp.sa. dp.scim. dp.audit.', /(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}/),
  form('Duffel token', 'duffel_live_', /[\w=-]{43}/),
  form('Dynatrace token', 'dt0c01.', /[A-Z0-9]{24}\.[A-Z0-9]{64}/i),
  form('EasyPost key', 'EZAK', /[a-z0-9]{54}/i),
  weakForm('Facebook token', 'EAA', /[A-Za-z0-9]{100,400}/),
  form('Fly.io token', 'fo1_', /[\w-]{43}/),
  form('Fly.io token', 'fm1a_ fm1r_ fm2_', /[A-Za-z0-9+/]{100,1000}={0,3}/),
  form('Frame.io token', 'fio-u-', /[\w=-]{64}/),
  form('Grafana token', 'glc_', /[A-Za-z0-9+/]{32,400}={0,3}/),
  form('Grafana token', 'glsa_', /[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}/),
  form('Heroku key', 'HRKU-AA', /[\w-]{58}/),
  form('Infracost key', 'ico-', /[A-Za-z0-9]{32}/),
  form('OpenShift token', 'sha256~', /[\w-]{43}/),
  form('PlanetScale token', 'pscale_tkn_ pscale_oauth_ pscale_pw_', /[\w=.-]{32,64}/),
  form('Postman key', 'PMAK-', /[a-f0-9]{24}-[a-f0-9]{34}/i),
  form('Prefect key', 'pnu_', /[A-Za-z0-9]{36}/),
  form('Pulumi token', 'pul-', /[a-f0-9]{40}/),
  form('ReadMe key', 'rdme_', /[a-z0-9]{70}/),
  form('RubyGems key', 'rubygems_', /[a-f0-9]{48}/),
  form('Scalingo token', 'tk-us-', /[\w-]{48}/),
  form('Brevo key', 'xkeysib-', /[a-f0-9]{64}-[a-z0-9]{16}/i),
  form('Sentry token', 'sntrys_eyJ', /[A-Za-z0-9+/=]{20,400}_[A-Za-z0-9+/]{43}/),
  form('Sentry token', 'sntryu_', /[a-f0-9]{64}/),
  form('Shippo token', 'shippo_live_', /[a-fA-F0-9]{40}/),
  form('Sourcegraph token', 'sgp_', /(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}/),
  weakForm('Square token', 'EAAA sq0atp- sq0csp-', /[\w-]{22,60}/),
  weakForm('Octopus Deploy key', 'API-', /[A-Z0-9]{26}/),
  // TruffleHog
  form('OpenRouter key', 'sk-or-v1-', /[a-f0-9]{64}/),
  form('Langfuse secret key', 'sk-lf-', /[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/),
  form('LangSmith key', 'lsv2_pt_ lsv2_sk_', /[a-f0-9]{32}_[a-f0-9]{10}/),
  form('Groq key', 'gsk_', /[A-Za-z0-9]{52}/),
  form('xAI key', 'xai-', /\w{80}/),
  form('NVIDIA key', 'nvapi-', /[\w-]{64}/),
  form('Replicate token', 'r8_', /[\w-]{37}/),
  form('Google access token', 'ya29.', /[\w.-]{30,2000}/),
  form('Netlify token', 'nfp_', /\w{36}/),
  form('Supabase token', 'sbp_', /[a-z0-9]{40}/),
  form('Docker Hub token', 'dckr_pat_ dckr_oat_', /[\w-]{27,32}/),
  form('CircleCI token', 'CCIPAT_', /[A-Za-z0-9]{22}_[a-fA-F0-9]{40}/),
  form('Buildkite token', 'bkua_', /[a-z0-9]{40}/),
  form('Mailgun key', 'key-', /[a-z0-9]{32}/, (value) => looksRandom(value.slice(4))),
  weakForm('Figma token', 'figd_ figo_ figu_ figor_ figuh_', /[\w-]{40}/),
  form('HubSpot token', 'pat-na1- pat-eu1-', /[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/i),
  form('Bitbucket app password', 'ATBB', /[\w=.-]{24,100}/, (value) => looksRandom(value.slice(4))),
  form('Atlassian token', 'ATATT3xFf ATCTT3xFf', /[A-Za-z0-9+/=_-]{60,400}/),
  form('Mapbox token', 'sk.eyJ', /[\w-]{30,200}\.[\w-]{20,40}/),
  form('Dropbox token', 'sl.', /(?:u\.)?[\w-]{130,2000}/),
  form('PostHog key', 'phx_', /\w{43,48}/),
  form('LaunchDarkly key', 'sdk- api-', /[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}/),
  form('Tailscale key', 'tskey-', /[a-z]{2,20}-\w{8,40}-\w{16,64}/),
  form('Flutterwave key', 'FLWSECK-', /[0-9a-z]{32}-X/),
  form('Razorpay key', 'rzp_live_', /[A-Za-z0-9]{14}/),
  form('Discord webhook', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', /\d{17,20}\/[\w-]{60,80}/),
  // Documentation of the vendors
  form('Discord bot token', DISCORD_IDS, /[A-Za-z\d]{20,25}\.[\w-]{6}\.[\w-]{27,40}/),
  form('Google client secret', 'GOCSPX-', /[\w-]{28}/),
  weakForm('Google refresh token', '1//0', /[\w-]{60,200}/),
  weakForm('Stripe webhook secret', 'whsec_', /[A-Za-z0-9+/]{24,80}={0,2}/),
  weakForm('Fireworks key', 'fw_', /[A-Za-z0-9]{22,32}/),
  form('Cerebras key', 'csk-', /[a-z0-9]{40,64}/),
  weakForm('Voyage key', 'pa- al-', /[\w-]{43}/),
  form('Jina key', 'jina_', /[\w-]{40,80}/),
  form('Tavily key', 'tvly-', /(?:(?:dev|prod)-)?[\w-]{28,80}/),
  form('Pinecone key', 'pcsk_', /[A-Za-z0-9_]{50,90}/),
  weakForm('ElevenLabs key', 'sk_', /[a-f0-9]{48}/),
  form('Weights & Biases key', 'wandb_v1_', /\w{40,120}/),
  weakForm('crates.io token', 'cio', /[A-Za-z0-9]{32}/),
  weakForm('NuGet key', 'oy2', /[a-z0-9]{43}/),
  form('SonarQube token', 'sqp_ squ_ sqa_', /[a-f0-9]{40}/),
  weakForm('Resend key', 're_', /[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}/),
  form('New Relic key', 'NRAK-', /[A-Z0-9]{27}/),
  form('New Relic key', 'NRJS- NRII-', /[\w-]{19,40}/, (value) => looksRandom(value.slice(5))),
  form('Supabase key', 'sb_secret_', /[\w-]{20,60}/),
  form('Vercel token', 'vcp_ vck_', /[A-Za-z0-9]{24,80}/),
  form('Render key', 'rnd_', /[A-Za-z0-9]{28,40}/),
  form('Anyscale key', 'esecret_', /[A-Za-z0-9]{24,40}/),
  // RFC 7519
  form('JSON Web Token', 'eyJ', /[\w-]{15,4000}\.eyJ[\w-]{15,8000}\.[\w-]{10,2000}/, isWebToken),
  SK,
];

/** Tokens without a prefix of their own. */
export const TOKEN_PATTERNS: readonly TextPattern[] = [
  // TruffleHog: aws. It has no specific format, and is recognized next to its id.
  {
    kind: 'AWS secret key',
    requiredText: 'AKIA',
    regex: /(?<![\w/+.-])[A-Za-z0-9/+]{40}(?![\w/+=-])/g,
    validate: looksRandom,
    context: /\bAKIA[A-Z2-7]{16}\b/,
  },
  // gitleaks: telegram-bot-api-token
  pattern('Telegram bot token', ':AA', /\d{8,10}:AA[\w-]{33}/),
  // gitleaks: azure-ad-client-secret
  pattern('Azure client secret', 'Q~', /[\w~.]{3}\dQ~[\w~.-]{31,34}/),
  // gitleaks: hashicorp-tf-api-token
  pattern('Terraform token', '.atlasv1.', /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/),
  // TruffleHog: mailchimp
  {
    kind: 'Mailchimp key',
    requiredText: '-us',
    regex: /(?<=(?<![A-Za-z0-9])(?<value>[0-9a-f]{32}))-us\d{1,2}(?!\w)/dg,
    validate: looksGenerated,
  },
];

function pattern(kind: string, requiredText: string, regex: RegExp): TextPattern {
  return {
    kind,
    requiredText,
    // No token begins within a word, except after an escaped line break: `\n123:AA…`.
    regex: new RegExp(String.raw`(?<!(?<!\\)[\w-])${regex.source}(?!\w)`, 'g'),
    validate: looksGenerated,
  };
}
