/** Keys and tokens of services that people use, by the beginnings that their issuers document. */

export interface KeyFormat {
  readonly name: string;
  /** Separated by spaces; `·` stands for a space. */
  readonly begins: string;
  /** The characters that follow, as inside of `[]`. */
  readonly signs: string;
  /** How many of them at least. */
  readonly least: number;
  /** What the whole of them looks like. */
  readonly form?: RegExp;
  /** The beginning is so unlike anything else that what follows needs no look. */
  readonly sure?: true;
  /** The beginning stays visible whole, as that of an address. */
  readonly open?: true;
}

const HEX = '0-9a-fA-F';
const UUID = '0-9a-fA-F-';
const CAPITALS = 'A-Z0-9';
const LETTERS = 'A-Za-z0-9';
const WORD = String.raw`\w`;
const URL64 = String.raw`\w-`;
const DOTTED = String.raw`\w.-`;
const BASE64 = String.raw`\w+/=-`;
const CREDENTIAL = String.raw`\w.~+/=-`;
const PATH = String.raw`\w/@-`;
/** Three parts that are signed, or five that are encrypted, the second of which may be empty. */
const WEB_TOKEN = /^[\w-]{5,}\.(?:[\w-]{8,}|[\w-]*\.[\w-]+\.[\w-]+)\.[\w-]{8,}$/;

/** Another service is one more line. */
export const keyFormats: readonly KeyFormat[] = [
  { name: 'JSON web token', begins: 'eyJ', signs: DOTTED, least: 24, form: WEB_TOKEN, sure: true },
  { name: 'bearer token', begins: 'Bearer· bearer· BEARER·', signs: CREDENTIAL, least: 12, open: true },
  { name: 'basic credentials', begins: 'Basic· basic·', signs: 'A-Za-z0-9+/=', least: 12, open: true },
  // Models and their tools
  { name: 'Anthropic key', begins: 'sk-ant-', signs: URL64, least: 16, sure: true },
  { name: 'OpenAI key', begins: 'sk- sk-proj- sk-svcacct- sk-admin-', signs: URL64, least: 16 },
  { name: 'OpenRouter key', begins: 'sk-or-', signs: URL64, least: 20 },
  { name: 'Langfuse secret key', begins: 'sk-lf-', signs: URL64, least: 16 },
  { name: 'LangSmith key', begins: 'lsv2_pt_ lsv2_sk_ ls__', signs: WORD, least: 20 },
  { name: 'Groq key', begins: 'gsk_', signs: LETTERS, least: 20 },
  { name: 'xAI key', begins: 'xai-', signs: URL64, least: 20 },
  { name: 'Perplexity key', begins: 'pplx-', signs: LETTERS, least: 20 },
  { name: 'Replicate token', begins: 'r8_', signs: LETTERS, least: 20 },
  { name: 'Tavily key', begins: 'tvly-', signs: URL64, least: 16 },
  { name: 'Pinecone key', begins: 'pcsk_', signs: WORD, least: 20 },
  { name: 'NVIDIA key', begins: 'nvapi-', signs: URL64, least: 20 },
  { name: 'E2B key', begins: 'e2b_', signs: HEX, least: 32 },
  { name: 'Fireworks key', begins: 'fw_', signs: LETTERS, least: 20 },
  { name: 'Together key', begins: 'tgp_v1_', signs: URL64, least: 30 },
  { name: 'Hugging Face token', begins: 'hf_ api_org_', signs: LETTERS, least: 20, sure: true },
  { name: 'Cerebras key', begins: 'csk-', signs: LETTERS, least: 30 },
  { name: 'Voyage key', begins: 'pa-', signs: URL64, least: 30 },
  { name: 'Jina key', begins: 'jina_', signs: URL64, least: 30 },
  { name: 'LlamaCloud key', begins: 'llx-', signs: LETTERS, least: 30 },
  { name: 'Firecrawl key', begins: 'fc-', signs: HEX, least: 32 },
  { name: 'Brave Search key', begins: 'BSA', signs: URL64, least: 24 },
  { name: 'ElevenLabs key', begins: 'sk_', signs: HEX, least: 40 },
  { name: 'Anyscale key', begins: 'esecret_', signs: LETTERS, least: 20 },
  { name: 'RunPod key', begins: 'rpa_', signs: LETTERS, least: 30 },
  { name: 'Modal token', begins: 'ak- as-', signs: LETTERS, least: 22 },
  { name: 'Cursor key', begins: 'key_ crsr_', signs: HEX, least: 60 },
  { name: 'Weights & Biases key', begins: 'wandb_v1_', signs: URL64, least: 40 },
  // Clouds and hosting
  { name: 'Bedrock key', begins: 'ABSK bedrock-api-key-', signs: BASE64, least: 40 },
  { name: 'AWS access key', begins: 'AKIA ASIA ABIA ACCA', signs: CAPITALS, least: 16, form: /^.{16}$/, sure: true },
  { name: 'Google API key', begins: 'AIza', signs: URL64, least: 35, sure: true },
  { name: 'Google OAuth token', begins: 'ya29. GOCSPX- 1//0', signs: DOTTED, least: 20 },
  { name: 'Databricks token', begins: 'dapi dose', signs: UUID, least: 32, sure: true },
  { name: 'Supabase key', begins: 'sbp_ sb_secret_', signs: URL64, least: 20 },
  { name: 'Vercel token', begins: 'vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_', signs: WORD, least: 24 },
  { name: 'Netlify token', begins: 'nfp_ nfc_ nfo_ nfu_ nfb_', signs: LETTERS, least: 30 },
  { name: 'Cloudflare token', begins: 'cfut_ cfat_ cfk_', signs: LETTERS, least: 30 },
  { name: 'Cloudflare origin key', begins: 'v1.0-', signs: UUID, least: 100 },
  { name: 'DigitalOcean token', begins: 'dop_v1_ doo_v1_ dor_v1_', signs: HEX, least: 40 },
  { name: 'Heroku key', begins: 'HRKU-', signs: URL64, least: 36 },
  { name: 'Fly token', begins: 'fo1_ fm1r_ fm1a_ fm2_', signs: BASE64, least: 40 },
  { name: 'Render key', begins: 'rnd_', signs: LETTERS, least: 20 },
  { name: 'Alibaba Cloud key', begins: 'LTAI', signs: LETTERS, least: 16 },
  { name: 'Tencent Cloud key', begins: 'AKID', signs: LETTERS, least: 32 },
  { name: 'Yandex Cloud key', begins: 'AQVN t1.9eu', signs: String.raw`\w.=-`, least: 35 },
  { name: 'OpenShift token', begins: 'sha256~', signs: URL64, least: 43 },
  { name: 'Tailscale key', begins: 'tskey-', signs: URL64, least: 20 },
  { name: 'Scalingo token', begins: 'tk-us-', signs: URL64, least: 48 },
  // Data
  { name: 'PlanetScale key', begins: 'pscale_tkn_ pscale_pw_ pscale_oauth_', signs: DOTTED, least: 30 },
  { name: 'Neon key', begins: 'napi_ npg_', signs: LETTERS, least: 12 },
  { name: 'ClickHouse key', begins: '4b1d', signs: LETTERS, least: 38 },
  { name: 'Airtable token', begins: 'pat', signs: 'A-Za-z0-9.', least: 60, form: /^\w{14}\.[0-9a-f]{64}$/ },
  { name: 'Dropbox token', begins: 'sl.', signs: DOTTED, least: 60 },
  { name: 'Contentful token', begins: 'CFPAT-', signs: URL64, least: 40 },
  { name: 'Mapbox secret token', begins: 'sk.eyJ', signs: DOTTED, least: 40 },
  // Mail and messages
  { name: 'SendGrid key', begins: 'SG.', signs: DOTTED, least: 40, form: /^[\w-]{16,}\.[\w-]{30,}$/ },
  { name: 'Mailgun key', begins: 'key-', signs: HEX, least: 32 },
  { name: 'Brevo key', begins: 'xkeysib- xsmtpsib-', signs: URL64, least: 60 },
  { name: 'Resend key', begins: 're_', signs: WORD, least: 20 },
  { name: 'Twilio key', begins: 'SK AC', signs: HEX, least: 32, form: /^.{32}$/ },
  { name: 'Discord token', begins: 'M N O', signs: DOTTED, least: 56, form: /^[\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}$/ },
  {
    name: 'Discord webhook',
    begins: 'discord.com/api/webhooks/ discordapp.com/api/webhooks/ discord.com/api/v10/webhooks/',
    signs: PATH,
    least: 40,
    open: true,
  },
  {
    name: 'Slack token',
    begins: 'xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxc- xoxd- xoxe- xoxe.xoxb- xoxe.xoxp-',
    signs: String.raw`\w%+/.-`,
    least: 10,
    sure: true,
  },
  { name: 'Slack token', begins: 'xapp-', signs: URL64, least: 20 },
  {
    name: 'Slack webhook',
    begins: 'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/',
    signs: PATH,
    least: 20,
    open: true,
  },
  {
    name: 'Microsoft Teams webhook',
    begins: 'webhook.office.com/webhookb2/ outlook.office.com/webhook/',
    signs: PATH,
    least: 40,
    open: true,
  },
  { name: 'Zapier webhook', begins: 'hooks.zapier.com/hooks/catch/', signs: PATH, least: 10, sure: true, open: true },
  // Work
  { name: 'Notion token', begins: 'ntn_ secret_', signs: LETTERS, least: 40 },
  { name: 'Linear key', begins: 'lin_api_ lin_oauth_ lin_wh_', signs: LETTERS, least: 30 },
  { name: 'Atlassian token', begins: 'ATATT3 ATCTT3', signs: String.raw`\w=.-`, least: 60 },
  { name: 'Figma token', begins: 'figd_ figo_ figu_', signs: URL64, least: 30 },
  { name: 'HubSpot token', begins: 'pat-na1- pat-na2- pat-eu1- pat-ap1-', signs: UUID, least: 36, sure: true },
  { name: 'Typeform token', begins: 'tfp_', signs: DOTTED, least: 40 },
  { name: 'ReadMe key', begins: 'rdme_', signs: LETTERS, least: 60 },
  { name: 'Frame.io token', begins: 'fio-u-', signs: URL64, least: 60 },
  // Payments and shops
  { name: 'Stripe key', begins: 'sk_live_ sk_test_ rk_live_ rk_test_', signs: LETTERS, least: 16, sure: true },
  { name: 'webhook signing secret', begins: 'whsec_', signs: BASE64, least: 24 },
  { name: 'Shopify token', begins: 'shpat_ shpss_ shpca_ shppa_ shpua_', signs: HEX, least: 32, sure: true },
  { name: 'Square token', begins: 'sq0atp- sq0csp- EAAA', signs: URL64, least: 22, sure: true },
  { name: 'Facebook token', begins: 'EAAB EAAC EAAG EAAM', signs: LETTERS, least: 80 },
  { name: 'Plaid token', begins: 'access-sandbox- access-development- access-production-', signs: UUID, least: 36 },
  {
    name: 'Braintree token',
    begins: 'access_token$production$ access_token$sandbox$',
    signs: String.raw`\w$`,
    least: 30,
  },
  { name: 'EasyPost key', begins: 'EZAK EZTK', signs: LETTERS, least: 54 },
  { name: 'Shippo token', begins: 'shippo_live_ shippo_test_', signs: HEX, least: 40 },
  { name: 'Duffel token', begins: 'duffel_live_ duffel_test_', signs: URL64, least: 40 },
  { name: 'Flutterwave key', begins: 'FLWSECK- FLWSECK_TEST-', signs: URL64, least: 12 },
  // Secrets and infrastructure
  { name: 'Vault token', begins: 'hvs. hvb. hvr.', signs: URL64, least: 24 },
  { name: 'Vault token', begins: 's.', signs: LETTERS, least: 24, form: /^.{24}$/ },
  { name: 'Doppler token', begins: 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', signs: DOTTED, least: 30 },
  { name: '1Password token', begins: 'ops_eyJ', signs: BASE64, least: 60 },
  {
    name: '1Password secret key',
    begins: 'A3-',
    signs: 'A-Z0-9-',
    least: 30,
    form: /^\w{6}(?:-\w{5,11}){4,6}$/,
    sure: true,
  },
  { name: 'Infisical token', begins: 'st.', signs: DOTTED, least: 60 },
  { name: 'age key', begins: 'AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1', signs: CAPITALS, least: 50, sure: true },
  { name: 'Pulumi token', begins: 'pul-', signs: HEX, least: 40 },
  { name: 'Prefect key', begins: 'pnu_ pnb_', signs: LETTERS, least: 36 },
  { name: 'Harness token', begins: 'pat. sat.', signs: DOTTED, least: 60 },
  // Code and packages
  { name: 'GitHub token', begins: 'ghp_ gho_ ghu_ ghr_ github_pat_', signs: WORD, least: 20 },
  { name: 'GitHub token', begins: 'ghs_', signs: DOTTED, least: 20 },
  {
    name: 'GitLab token',
    begins: 'glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glsoat- glffct- glimt- glagent- gloas- glwt- GR1348941',
    signs: DOTTED,
    least: 16,
    sure: true,
  },
  { name: 'Bitbucket password', begins: 'ATBB BBDC-', signs: BASE64, least: 28 },
  { name: 'Docker token', begins: 'dckr_pat_ dckr_oat_', signs: URL64, least: 20 },
  { name: 'npm token', begins: 'npm_', signs: LETTERS, least: 36 },
  { name: 'PyPI token', begins: 'pypi-AgE', signs: URL64, least: 40 },
  { name: 'RubyGems key', begins: 'rubygems_', signs: HEX, least: 48 },
  { name: 'NuGet key', begins: 'oy2', signs: 'a-z0-9', least: 43, sure: true },
  { name: 'crates.io token', begins: 'cio', signs: LETTERS, least: 32, form: /^.{32}$/ },
  { name: 'Clojars token', begins: 'CLOJARS_', signs: HEX, least: 60 },
  { name: 'Deno token', begins: 'ddp_ ddo_', signs: LETTERS, least: 36 },
  { name: 'Artifactory key', begins: 'AKCp cmVmd', signs: LETTERS, least: 59 },
  { name: 'Sourcegraph token', begins: 'sgp_', signs: WORD, least: 40 },
  { name: 'Postman key', begins: 'PMAK-', signs: UUID, least: 50 },
  // Builds and watching
  { name: 'CircleCI token', begins: 'CCIPAT_ CCIPRJ_', signs: WORD, least: 40 },
  { name: 'Buildkite token', begins: 'bkua_ bkaj_', signs: LETTERS, least: 30 },
  { name: 'Sentry token', begins: 'sntrys_ sntryu_ sntrya_', signs: BASE64, least: 40 },
  { name: 'New Relic key', begins: 'NRAK- NRII- NRRA- NRIQ-', signs: URL64, least: 24, sure: true },
  { name: 'Grafana token', begins: 'glsa_ glc_ eyJrIjoi', signs: BASE64, least: 32 },
  { name: 'PostHog key', begins: 'phx_ phs_', signs: LETTERS, least: 30 },
  { name: 'Dynatrace token', begins: 'dt0c01. dt0s01. dt0s16.', signs: 'A-Z0-9.', least: 60 },
  { name: 'LaunchDarkly key', begins: 'sdk- api-', signs: UUID, least: 36 },
  { name: 'Statsig key', begins: 'secret-', signs: LETTERS, least: 40 },
];

/** Formats that are not known by how they begin; each is of bounded length. */
export const otherForms: readonly { readonly name: string; readonly form: string }[] = [
  { name: 'Telegram bot token', form: String.raw`\d{8,10}:[\w-]{35}` },
  { name: 'Mailchimp key', form: String.raw`[0-9a-f]{32}-us\d{1,2}` },
  { name: 'Azure client secret', form: String.raw`[\w~.-]{3}\dQ~[\w~.-]{31,34}` },
  { name: 'Azure key', form: String.raw`[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9+/]{20,30}={0,2}` },
  { name: 'Terraform token', form: String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}` },
  { name: 'Asana token', form: String.raw`[0-2]\/\d{12,18}(?:\/\d{12,18})?:[0-9a-f]{32}` },
  { name: 'New Relic key', form: String.raw`[0-9a-f]{32,36}(?:FFFF)?NRAL` },
  { name: 'MaxMind key', form: String.raw`[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk` },
];
