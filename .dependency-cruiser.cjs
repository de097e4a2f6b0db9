/**
 * The written architecture (design: layout and import directions). A row of LAYERS says what a layer may import beside
 * itself; everything that is not listed is refused, type imports included.
 *
 *   contracts → core → { lease, executors/*, adapters, observability } → queues → processors → bin
 *                 ├──→ lease → kernel ──────────────────────────────────────────────────→ bin
 *                 ├──→ surfaces (they get their services injected) ─────────────────────→ bin
 *                 ├──→ data-dir (keys, audit log, places; uses lease, adapters) ────────→ bin
 *                 └──→ a feature's pure folders → its own I/O folders (which use adapters) → bin
 *
 * A feature is one place: content-search, messages, webhooks. Features never import each other; only bin joins them.
 */

/** Folders of ours, as path prefixes. */
const FOLDER = {
  contracts: 'src/contracts/',
  core: 'src/core/',
  lease: 'src/lease/',
  kernel: 'src/kernel/',
  executors: 'src/executors/',
  contentSearch: 'src/content-search/(search|enumerate|backends|run|ngram-index/(segment|tokenize|query|build|watch|safety|indexer))/',
  contentSearchIo: 'src/content-search/(io|process|ngram-index/(storage|serving))/',
  contentSearchSettings: 'src/content-search/settings/',
  contentSearchLibrary: 'src/content-search/index[.]ts$',
  messages: 'src/messages/(search|text|visibility)/',
  messagesIo: 'src/messages/(engines|store|import|serving)/',
  webhooks: 'src/webhooks/notice/',
  webhooksIo: 'src/webhooks/io/',
  dataDir: 'src/data-dir/',
  adapters: 'src/adapters/',
  redis: 'src/adapters/redis/',
  observability: 'src/observability/',
  surfaces: 'src/surfaces/',
  client: 'src/surfaces/client/',
  bin: 'src/bin/',
  queues: 'queues/',
  processors: 'processors/',
  config: 'config/',
  schema: 'config/schema[.]ts$',
  package: 'config/package[.]ts$',
  bench: 'bench/',
  test: 'test/',
  scripts: 'scripts/',
};

/** Each layer: its folder, what it may import of ours, the packages it may import, and the reason. */
const LAYERS = [
  {
    layer: 'contracts',
    may: [],
    packages: ['zod'],
    why: 'The words that everyone shares lie at the bottom: a contract that imported code could not be read without it.',
  },
  {
    layer: 'core',
    may: ['contracts'],
    packages: ['zod'],
    why: 'Core is pure: outcomes, errors, canonical JSON and the ports. It names what the outside must do, and never does it.',
  },
  {
    layer: 'lease',
    may: ['contracts', 'core'],
    packages: ['zod'],
    why: 'Who may run is decided by pure code with an injected clock and injected cryptography, so that every refusal can be tested.',
  },
  {
    layer: 'executors',
    may: ['contracts', 'core'],
    packages: ['zod', '@marcbachmann/cel-js'],
    why: 'Executors are libraries: they know no queue, no Redis, no web server and no logger, and get the file system and the journal through ports.',
  },
  {
    layer: 'contentSearch',
    may: ['contracts', 'core'],
    packages: ['zod', 'ignore', 'brace-expansion', 'xxhash-wasm'],
    why: 'The inside of content search is pure: it knows no queue and no web server, and gets the file system and the backends through ports.',
  },
  {
    layer: 'contentSearchIo',
    may: ['contracts', 'core', 'contentSearch', 'adapters', 'package'],
    packages: ['zod', 'better-sqlite3', '@vscode'],
    why: 'What content search does outside of itself (backends, trees, segment files, threads, sockets) is its own, and nobody imports it but bin.',
  },
  {
    layer: 'contentSearchSettings',
    may: ['contracts', 'core', 'contentSearch', 'contentSearchIo', 'schema', 'config'],
    packages: [],
    why: 'What the settings of a server say to a feature, in the words of the feature; the rest of it knows no settings.',
  },
  {
    layer: 'contentSearchLibrary',
    may: ['contracts', 'core', 'contentSearch', 'contentSearchIo', 'contentSearchSettings', 'adapters', 'config', 'client'],
    packages: [],
    why: '`writ/content-search` is a composition root for programs of other people: it wires the feature, and nothing else.',
  },
  {
    layer: 'messages',
    may: ['contracts', 'core'],
    packages: ['zod', 'lru-cache'],
    why: 'What a query of messages means and who may see which row is decided without a database; the engines come through a port.',
  },
  {
    layer: 'messagesIo',
    may: ['contracts', 'core', 'messages', 'adapters', 'package'],
    packages: ['zod', 'better-sqlite3', 'lru-cache', '@huggingface/tokenizers', '@oxdev03', 'onnxruntime-node'],
    why: 'Engines, store, import and serving of messages are their own, and nobody imports them but bin.',
  },
  {
    layer: 'webhooks',
    may: ['contracts', 'core'],
    packages: [],
    why: 'What a notice says, when it is tried again and when it dies is pure: time, chance and cryptography are given.',
  },
  {
    layer: 'webhooksIo',
    may: ['contracts', 'core', 'webhooks', 'adapters'],
    packages: [],
    why: 'Following outcomes and sending notices belong to the feature, and nobody imports them but bin.',
  },
  {
    layer: 'dataDir',
    may: ['contracts', 'core', 'lease', 'adapters'],
    packages: ['zod'],
    why: 'The data directory is one place: what lies in it (keys, too), who may use it, who did what.',
  },
  {
    layer: 'adapters',
    may: ['contracts', 'core', 'lease'],
    packages: ['zod', 'execa', 'ioredis', 'better-sqlite3', 'koffi', 'sodium-native', '@duckdb', 'imapflow', 'pg', 'ipaddr[.]js', '@modelcontextprotocol'],
    why: 'Adapters are technology that several features share: ports of core against the outside world. They know nothing of who uses them.',
  },
  {
    layer: 'observability',
    may: ['contracts', 'core'],
    packages: ['zod', 'pino', 'prom-client', '@opentelemetry'],
    why: 'Events, metrics and logs are told what happened; they never ask another layer.',
  },
  {
    layer: 'kernel',
    may: ['contracts', 'core', 'lease'],
    packages: ['zod', 'fastify', 'lru-cache', 'cron-parser'],
    why: 'The kernel issues authority, on a unix socket of its own. It sees leases and ports, never a queue, and only bin sees it: who executes cannot sign.',
  },
  {
    layer: 'surfaces',
    may: ['contracts', 'core', 'observability'],
    packages: ['zod', 'fastify', '@fastify', '@bull-board', 'commander', 'cli-progress', '@modelcontextprotocol', 'ink', 'react', 'marked'],
    why: 'Every surface gets the same injected services. A surface that opened a queue of its own would be a second contract.',
  },
  {
    layer: 'queues',
    may: ['contracts', 'core', 'schema', 'redis'],
    packages: ['bullmq', 'ioredis', 'zod'],
    why: 'Queue names, job options, retries and retention live here and nowhere else.',
  },
  {
    layer: 'processors',
    may: ['contracts', 'core', 'lease', 'executors', 'adapters', 'observability', 'queues'],
    packages: ['bullmq', 'ioredis', 'lru-cache', 'zod'],
    why: 'A processor joins queue, lease, executor and ledger. It is glue: wiring values come from bin.',
  },
  {
    layer: 'config',
    may: ['contracts', 'core'],
    packages: ['zod', 'smol-toml'],
    why: 'Settings are plain values. Reading them must not start anything.',
  },
];

const anyOf = (names) => names.map((name) => `^${FOLDER[name]}`).join('|');
const npm = (names) => (names.length === 0 ? '^$' : `^node_modules/(?:@types/)?(?:${names.join('|')})/`);

const layerRules = LAYERS.flatMap(({ layer, may, packages, why }) => [
  {
    name: `${layer}-imports-only-lower-layers`,
    comment: why,
    severity: 'error',
    from: { path: `^${FOLDER[layer]}` },
    to: { pathNot: `${anyOf([layer, ...may])}|node_modules/`, dependencyTypesNot: ['core'] },
  },
  {
    name: `${layer}-uses-only-its-packages`,
    comment: `${why} Another package needs a row here first.`,
    severity: 'error',
    from: { path: `^${FOLDER[layer]}` },
    to: { path: 'node_modules/', pathNot: npm(packages) },
  },
]);

/** Folders whose offer is the list in their index.ts. */
const DOORS = ['src/contracts', 'src/lease', 'src/executors/file', 'src/executors/plan', 'src/executors/search', 'src/executors/tool'];

const doorRules = DOORS.map((folder) => ({
  name: `${folder.replaceAll('/', '-')}-has-one-door`,
  comment:
    'What a folder offers can be read in its index.ts in a minute (scans.ts is the door for search processes, reserved.ts for them and for the threads of an index: they load no schema); the rest may change without asking.',
  severity: 'error',
  from: { pathNot: `^(${folder}|test|scripts|bench)/` },
  to: { path: `^${folder}/`, pathNot: `^${folder}/(index|scans|reserved)[.]ts$` },
}));

const OPTIONAL_PEERS = Object.keys(require('./package.json').peerDependenciesMeta);

module.exports = {
  forbidden: [
    ...layerRules,
    ...doorRules,
    {
      name: 'early-tests-need-nothing-compiled',
      comment: 'They run while these packages are still compiled (test/support/parts.ts).',
      severity: 'error',
      from: {
        path: '^test/(unit/(contracts|core|executors/plan|kernel|lease|observability|surfaces|content-search/(search|enumerate|backends|run|ngram-index/(segment|tokenize|query|build|watch|safety|indexer))|messages/search)|property/plan)/',
        pathNot: '/hash[.]test[.]ts$',
      },
      to: { path: '^(src/adapters/sqlite/driver[.]ts$|node_modules/(better-sqlite3|xxhash-addon)/)', reachable: true },
    },
    {
      name: 'no-cycles',
      comment: 'Two files that import each other are one file with two names; load order then decides what is undefined.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'executors-do-not-know-each-other',
      comment: 'What one executor needs of another becomes a task of its own, under a lease of its own.',
      severity: 'error',
      from: { path: '^src/executors/([^/]+)/' },
      to: { path: '^src/executors/', pathNot: '^src/executors/$1/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is installed by people who have none of our packages. Its types say again what the contracts say; a test compares them.',
      severity: 'error',
      from: { path: '^src/surfaces/client/' },
      to: { pathNot: '^src/surfaces/client/' },
    },
    {
      name: 'executors-stay-off-the-wire',
      comment: 'An executor that talks to Redis, a queue, a socket server or a logger cannot be run from a test or the command line.',
      severity: 'error',
      // The kernel is a socket server in exactly these two files.
      from: { path: '^src/(executors|lease|core|contracts|kernel)/', pathNot: '^src/kernel/(server|routes)[.]ts$' },
      to: { path: '^(node_modules/(bullmq|ioredis|fastify|pino)/|src/adapters/)' },
    },
    {
      name: 'pure-layers-do-no-io',
      comment: 'Contracts, core, leases and executors reach files, sockets and processes through ports; otherwise a test could not break them.',
      severity: 'error',
      from: {
        path: '^src/(contracts|core|lease|executors|messages/(search|text|visibility)|webhooks/notice|content-search/(search|enumerate|backends|run|ngram-index/(segment|tokenize|query|build|watch|safety|indexer)))/',
      },
      to: { dependencyTypes: ['core'], path: '^(node:)?(fs|net|tls|dgram|http|https|http2|child_process)(/|$)' },
    },
    {
      name: 'plan-core-is-pure',
      comment:
        'The same envelope and results lead to the same states on every host: Node reaches the plan core only through src/core, and .oxlintrc.json forbids the globals.',
      severity: 'error',
      from: { path: '^src/executors/plan/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'expressions-belong-to-the-plan-core',
      comment: 'One place reads CEL, and restricts it; whoever else wants a condition asks there.',
      severity: 'error',
      from: { pathNot: '^(src/executors/plan|test)/' },
      to: { path: '^node_modules/@marcbachmann/' },
    },
    {
      name: 'processes-are-started-by-adapters',
      comment: 'Writ executes no shell; the few processes that it does start (redis-server, roles, backends) have few places to be looked for.',
      severity: 'error',
      from: { pathNot: '^(src/adapters|src/content-search/(io|process)|test|scripts|bench)/' },
      to: { path: '^((node:)?child_process$|node_modules/execa/)' },
    },
    {
      name: 'nobody-imports-bin',
      comment: 'bin is the composition root: the only place that wires everything, with no logic that others could want. Benchmarks measure what it wires.',
      severity: 'error',
      from: { pathNot: '^(src/bin|test|bench)/' },
      to: { path: '^src/bin/' },
    },
    {
      name: 'one-screen-draws-with-react',
      comment: 'Ink and React take longer to load than most commands to run: `writ tui` imports its screen when it runs, and nobody else does.',
      severity: 'error',
      from: { pathNot: '^(src/surfaces/tui|test)/' },
      to: { path: '^node_modules/(?:@types/)?(ink|react)/' },
    },
    {
      name: 'nobody-imports-tests',
      comment: 'Product code that needs a test helper needs a module of its own.',
      severity: 'error',
      from: { pathNot: '^((test|bench)/|vitest[.]config[.]ts$)' },
      to: { path: '^test/' },
    },
    {
      name: 'nobody-imports-bench-or-scripts',
      comment: 'Benchmarks and tools of the house may disappear without the product noticing.',
      severity: 'error',
      from: { pathNot: '^((bench|scripts|test)/|vitest[.]config[.]ts$)' },
      to: { path: '^(bench|scripts)/' },
    },
    {
      name: 'only-bin-loads-settings',
      comment: 'load.ts is the only reader of the environment. Everybody else receives values, so that a test can pass others.',
      severity: 'error',
      from: { pathNot: '^(src/bin/|config/|test/|scripts/|src/content-search/(index[.]ts$|settings/))' },
      to: { path: '^config/', pathNot: '^config/(schema|package)[.]ts$' },
    },
    {
      name: 'schema-of-settings-has-few-readers',
      comment: 'Inner layers take the numbers they need as arguments, not the whole configuration.',
      severity: 'error',
      from: { pathNot: '^(src/bin|src/content-search/settings|queues|config|test|scripts|bench)/' },
      to: { path: '^config/schema[.]ts$' },
    },
    {
      name: 'no-development-packages-in-the-product',
      comment:
        'A package that `npm ci --omit=dev` leaves out would be missing in production. An optional peer may be missing: it is loaded when it is asked for.',
      severity: 'error',
      from: { path: '^(src|queues|processors|config)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: `^node_modules/(@types|${OPTIONAL_PEERS.join('|')})/` },
    },
    {
      name: 'no-unknown-modules',
      comment: 'An import that does not resolve fails at run time, in the process that needs it most.',
      severity: 'error',
      // Examples name the package, which lies in dist once that is built.
      from: { pathNot: '^examples/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'], extensions: ['.ts', '.js', '.json'] },
    skipAnalysisNotInRules: true,
  },
};
