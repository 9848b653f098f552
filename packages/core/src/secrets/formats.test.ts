import { describe, expect, it } from 'vitest';
import { createMasker } from './masker.ts';

/** Draws as the issuers do: a fixed beginning, then so many signs of an alphabet. Nothing here is a key of anyone. */
const ALPHABETS: Readonly<Record<string, string>> = {
  d: '0123456789',
  x: '0123456789abcdef',
  X: '0123456789ABCDEF',
  a: 'abcdefghijklmnopqrstuvwxyz0123456789',
  C: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  T: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  L: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  U: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  B: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  q: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
};

function drawer(seed: number): (format: string) => string {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const draw = (alphabet: string, count: number): string =>
    Array.from({ length: count }, () => alphabet.charAt(next(alphabet.length))).join('');
  return (format) =>
    format
      .replaceAll('§', '$')
      .replaceAll('{uuid}', '{x8}-{x4}-4{x3}-a{x3}-{x12}')
      .replaceAll(/\{([a-zA-Z])(\d+)\}/g, (_, kind: string, count: string) =>
        draw(ALPHABETS[kind] ?? '', Number(count)),
      );
}

/** Formats with a beginning or a form of their own: one service a line, its formats separated by blanks. */
const SHAPED = String.raw`
OpenAI: sk-{A20}T3BlbkFJ{A20} sk-proj-{U74}T3BlbkFJ{U74} sk-svcacct-{U58}T3BlbkFJ{U58} sk-admin-{U58}T3BlbkFJ{U58}
Anthropic: sk-ant-api03-{U93}AA sk-ant-admin01-{U93}AA sk-ant-oat01-{U93}AA
DeepSeek: sk-{x32}
OpenRouter: sk-or-v1-{x64}
LangSmith: lsv2_pt_{x32}_{x10} lsv2_sk_{x32}_{x10}
Langfuse: sk-lf-{uuid}
Groq: gsk_{A52}
xAI: xai-{A80}
Perplexity: pplx-{A48}
Replicate: r8_{A37}
Tavily: tvly-{A32} tvly-dev-{A32}
Pinecone: pcsk_{A6}_{A63}
NVIDIA: nvapi-{U64}
E2B: e2b_{x40}
Fireworks: fw_{A24} fw_{A40}
Together: tgp_v1_{U43}
Hugging Face: hf_{L34} api_org_{L34}
Cerebras: csk-{a48}
Voyage: pa-{U43}
Jina: jina_{x32}{U28}
LlamaCloud: llx-{A48}
Firecrawl: fc-{x32}
ElevenLabs: sk_{x48}
Cursor: key_{x64}
Weights & Biases: wandb_v1_{A27}_{A49}
Amazon: AKIA{T16} ASIA{T16} ABSK{B128}
Google: AIza{U35} ya29.{U180} GOCSPX-{U28} 1//0{U60}
Azure: {A3}8Q~{U34} {A52}JQQJ99{A26}
Databricks: dapi{x32} dapi{x32}-2
Supabase: sbp_{x40} sb_secret_{U22}_{U8}
Vercel: vercel_blob_rw_{A16}_{A30} vcp_{A56}
Netlify: nfp_{A36}
Cloudflare: cfut_{A48} cfk_{A48} v1.0-{x24}-{x146}
DigitalOcean: dop_v1_{x64} doo_v1_{x64} dor_v1_{x64}
Heroku: HRKU-AA{U58} HRKU-{uuid}
Fly: fo1_{U43} fm2_{B160}
Render: rnd_{A28}
Alibaba Cloud: LTAI{A20}
OpenShift: sha256~{U43}
Tailscale: tskey-auth-{A12}CNTRL-{A32}
PlanetScale: pscale_tkn_{U43} pscale_pw_{U43} pscale_oauth_{U43}
Neon: napi_{a64} npg_{A16}
ClickHouse: 4b1d{A38}
Airtable: pat{A14}.{x64}
Dropbox: sl.{U135}
Contentful: CFPAT-{U43}
SendGrid: SG.{U22}.{U43}
Mailgun: key-{x32}
Mailchimp: {x32}-us12
Brevo: xkeysib-{x64}-{A16} xsmtpsib-{x64}-{A16}
Resend: re_{A8}_{A24}
Twilio: SK{x32} AC{x32}
Discord: MT{A22}.G{A5}.{U38} https://discord.com/api/webhooks/{d18}/{U68}
Telegram: {d10}:AA{U33}
Slack: xoxb-{d12}-{d13}-{A24} xoxp-{d12}-{d12}-{d13}-{x32} xapp-1-A{C10}-{d13}-{x64} xoxe.xoxp-1-{C163} https://hooks.slack.com/services/T{C10}/B{C10}/{A24}
Microsoft Teams: https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{x32}/{uuid}
Notion: ntn_{d11}{A35} secret_{A43}
Linear: lin_api_{A40} lin_oauth_{x64}
Asana: 1/{d16}:{x32} 2/{d16}/{d16}:{x32}
Atlassian: ATATT3{U186} ATCTT3{U186}
Bitbucket: ATBB{A32}
Figma: figd_{U40}
HubSpot: pat-na1-{uuid} pat-eu1-{uuid}
Typeform: tfp_{U44}_{A14}
Shopify: shpat_{x32} shpss_{x32} shpca_{x32} shppa_{x32}
Stripe: sk_live_{A24} sk_test_{A99} rk_live_{A24} whsec_{A32}
Square: sq0atp-{U22} sq0csp-{U43} EAAA{U60}
Facebook: EAAC{A160}
Plaid: access-sandbox-{uuid} access-production-{uuid}
Braintree: access_token$production§{a16}§{x32}
EasyPost: EZAK{A54}
Shippo: shippo_live_{x40}
Duffel: duffel_test_{U43}
Vault: hvs.{U90} hvb.{U150} s.{A24}
Terraform: {A14}.atlasv1.{U67}
Doppler: dp.pt.{A43} dp.st.dev.{A40}
1Password: ops_eyJ{B300} A3-{C6}-{C6}-{C5}-{C5}-{C5}-{C5}
Infisical: st.{uuid}.{x32}.{x32}
age: AGE-SECRET-KEY-1{q58}
Pulumi: pul-{x40}
Prefect: pnu_{A36}
Dynatrace: dt0c01.{C24}.{C64}
LaunchDarkly: sdk-{uuid} api-{uuid}
GitHub: ghp_{A36} gho_{A36} ghu_{A36} ghs_{A36} ghr_{A76} github_pat_{A22}_{A59}
GitLab: glpat-{U20} glpat-{U27}.01.{a9} gldt-{U20} glrt-{U20} glptt-{x40} glcbt-{x2}_{U20} glsoat-{U20} gloas-{U64} GR1348941{U20}
Docker: dckr_pat_{U27} dckr_oat_{U32}
npm: npm_{A36}
PyPI: pypi-AgEIcHlwaS5vcmc{U140}
RubyGems: rubygems_{x48}
NuGet: oy2{a43}
crates.io: cio{A32}
Clojars: CLOJARS_{x60}
Deno: ddp_{A36}
Artifactory: AKCp{A69} cmVmd{A59}
Sourcegraph: sgp_{x16}_{x40}
Postman: PMAK-{x24}-{x34}
CircleCI: CCIPAT_{A22}_{x40}
Buildkite: bkua_{x40}
Sentry: sntryu_{x64} sntrys_eyJ{B120}_{B43}
New Relic: NRAK-{C27} {x36}NRAL
Grafana: glsa_{A32}_{x8} glc_eyJ{B100}
PostHog: phx_{A43}
JSON web tokens: eyJ{U33}.eyJ{U120}.{U43} eyJ{U33}..{U16}.{U200}.{U22} eyJ{U33}.{U342}.{U16}.{U200}.{U22}
`;

/** Values without a form: known by the name, header or part of an address that the service's manual gives. */
const NAMED = String.raw`
Cohere: CO_API_KEY=‹{A40}›
Mistral: export MISTRAL_API_KEY="‹{A32}›"
Together: TOGETHER_API_KEY: ‹{x64}›
Deepgram: Authorization: Token ‹{x40}›
Algolia: X-Algolia-API-Key: ‹{x32}›
Datadog: DD-API-KEY: ‹{x32}›
Datadog: DD_APP_KEY=‹{x40}›
Cloudflare: X-Auth-Key: ‹{x37}›
Asana: ASANA_ACCESS_TOKEN=‹{x32}›
PayPal: PAYPAL_CLIENT_SECRET=‹E{U79}›
Railway: RAILWAY_TOKEN=‹{uuid}›
Postmark: X-Postmark-Server-Token: ‹{uuid}›
Okta: Authorization: SSWS ‹00{U40}›
Amazon: aws_secret_access_key = ‹{B40}›
Amazon: AWS_SESSION_TOKEN=‹IQoJ{B200}›
Amazon: https://b.s3.amazonaws.com/k?X-Amz-Credential=‹AKIA{T16}%2F20250101%2Fus-east-1%2Fs3%2Faws4_request›&X-Amz-Signature=‹{x64}›
Google: https://storage.googleapis.com/b/o?X-Goog-Signature=‹{x128}›
Google: https://maps.googleapis.com/maps/api/js?key=‹AIza{U35}›&v=3
Azure: DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=‹{B86}==›;EndpointSuffix=core.windows.net
Azure: https://acme.blob.core.windows.net/c?sv=2024-11-04&sp=r&sig=‹{A40}%2B{A2}%3D›
Azure: Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=‹{B43}=›
Azure: Ocp-Apim-Subscription-Key: ‹{x32}›
Azure: AZURE_DEVOPS_EXT_PAT_TOKEN=‹{a52}›
SQL Server: Server=db;User Id=sa;Password=‹{A12}›;Encrypt=true
SQL Server: jdbc:sqlserver://db:1433;user=sa;password=‹{A12}›;
PostgreSQL: host=db user=app password=‹{A9}› dbname=x
PostgreSQL: postgres://app:‹{A12}›@db.acme.com:5432/x
PostgreSQL: PGPASSWORD=‹{L8}› psql -h db
MongoDB: mongodb+srv://app:‹{A12}›@c0.mongodb.net/?retryWrites=true
Redis: rediss://default:‹{A20}›@r.upstash.io:6379
MySQL: mysql -h db --password=‹{A10}› app
Oracle: jdbc:oracle:thin:app/x@db?password=‹{A10}›
git: https://x-access-token:‹ghs_{A36}›@github.com/a/b.git
git: https://‹{A40}›@git.acme.com/a/b.git
URL: postgres%3A%2F%2Fapp%3A‹{A12}›%40db%2Fx
URL: https://acme.com/cb?access_token=‹{A24}›&state=1
URL: https://acme.com/cb?code=‹4/0A{U60}›&scope=x
URL: https%3A%2F%2Facme.com%2Fcb%3Fapi_key%3D‹{A24}›%26v%3D1
HTTP: Authorization: Basic ‹{B32}›
HTTP: Authorization: Bearer ‹{U22}›
HTTP: Proxy-Authorization: Basic ‹{A24}›
HTTP: Authorization: Digest ‹username="bob", realm="x", nonce="{x32}", response="{x32}"›
HTTP: Authorization: AWS4-HMAC-SHA256 ‹Credential=AKIA{T16}/20250101/us-east-1/s3/aws4_request, Signature={x64}›
HTTP: Cookie: ‹sid={A32}; theme=dark›
HTTP: Set-Cookie: ‹session={A32}; Path=/; HttpOnly›
HTTP: curl -H "X-Api-Key: ‹{a24}›" https://acme.com
HTTP: curl -H 'PRIVATE-TOKEN: ‹{U20}›' https://git.acme.com
HTTP: X-Vault-Token: ‹{A26}›
.env: DB_PASSWORD=‹p@{A6},w(&d!›
.env: SMTP_PASS='‹{L9}›'
.env: SECRET_KEY_BASE_SECRET=‹{x64}›
YAML: password: ‹{A9}›
YAML: client-secret: "‹{U24}›"
YAML: apiKey: ‹{A24}›
INI: _authToken=‹{A30}›
XML: <password>‹{A9}›</password>
Python: login(user="bob", password='‹{L8}›')
JavaScript: const clientSecret = "‹{A24}›";
Shell: tool login --token ‹{A20}› --host x
PuTTY: ‹PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n{B44}\nPrivate-MAC: {x64}›
PEM: ‹-----BEGIN PRIVATE KEY-----\n{B64}\n{B64}\n-----END PRIVATE KEY-----›
OpenSSH: ‹-----BEGIN OPENSSH PRIVATE KEY-----\n{B70}\n-----END OPENSSH PRIVATE KEY-----›
PGP: ‹-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{B64}\n-----END PGP PRIVATE KEY BLOCK-----›
JSON: {"user":"bob","password":"‹{L6}›"}
JSON: {"pin":‹{d4}›,"tries":3}
JSON: {"aws":{"secretAccessKey":"‹{B40}›"}}
JSON: {"headers":{"authorization":"Bearer ‹{A12}›","cookie":"‹a={A12}›"}}
JSON: {"refresh_token":"‹{A10}›","expires_in":3600}
JSON: {"env":[{"name":"DB_PASSWORD","value":"‹{L10}›"}]}
JSON: {"secrets":{"FOO":"‹{L10}›","BAR":"‹{L10}›"}}
JSON: {"api_keys":["‹{A24}›","‹{A24}›"]}
JSON: {"rawHeaders":["Authorization","‹{A24}›"]}
JSON: {"args":"{\"password\":\"‹{L9}›\",\"n\":1}"}
JSON: {"private_key":"‹-----BEGIN PRIVATE KEY-----\n{B64}\n-----END PRIVATE KEY-----\n›"}
`;

interface Format {
  readonly service: string;
  readonly format: string;
}
const lines = (table: string): Format[] =>
  table
    .trim()
    .split('\n')
    .map((line) => ({ service: line.slice(0, line.indexOf(': ')), format: line.slice(line.indexOf(': ') + 2) }));
const shaped = lines(SHAPED).flatMap(({ service, format }) =>
  format.split(' ').map((one) => ({ service, format: one })),
);
const named = lines(NAMED);

const CONTEXTS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `I used ${secret}, and it worked.`,
  (secret) => JSON.stringify({ note: secret, more: [`see ${secret}`] }),
  (secret) => `FIRST=1\nSETTING=${secret}\nLAST=2`,
  (secret) => `https://acme.com/a?x=${encodeURIComponent(secret)}&y=1`,
];

/** The parts of a secret that must be nowhere: all of it but what may stay as a hint. */
const telling = (secret: string): string =>
  secret.length < 12 ? secret : secret.slice(-Math.min(12, secret.length - 4));

function isCaught(text: string, secrets: readonly string[]): boolean {
  const masker = createMasker({ suffix: () => '7f3' });
  const isJson = text.startsWith('{');
  return [isJson ? masker.json(text) : masker.text(text), masker.json(text)].every(
    (masked) =>
      masker.json(masked) === masked &&
      secrets.every(
        (secret) => !masked.includes(telling(secret)) && !masked.includes(encodeURIComponent(telling(secret))),
      ),
  );
}

const seeds = [1, 2, 3];

function missed({ format }: Format): string[] {
  return seeds.flatMap((seed) => {
    const secret = drawer(seed)(format);
    return CONTEXTS.map((context) => context(secret)).filter((text) => !isCaught(text, [secret]));
  });
}

function missedNamed({ format }: Format): string[] {
  return seeds.flatMap((seed) => {
    const marked = drawer(seed)(format);
    const secrets = Array.from(marked.matchAll(/‹([^›]*)›/g), ([, secret = '']) => secret);
    const text = marked.replaceAll(/[‹›]/g, '');
    return isCaught(text, secrets) ? [] : [text];
  });
}

describe('the formats that services document', () => {
  it('are caught, nineteen of twenty at least', () => {
    const all = [...shaped, ...named];
    const services = new Set(all.map(({ service }) => service));
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(services.size).toBeGreaterThanOrEqual(60);
    const open = [
      ...shaped.filter((one) => missed(one).length > 0),
      ...named.filter((one) => missedNamed(one).length > 0),
    ];
    expect(open.length, open.map(({ format }) => format).join('\n')).toBeLessThanOrEqual(all.length * 0.05);
  });
});
