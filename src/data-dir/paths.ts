import path from 'node:path';
import { shortDirectory } from '../adapters/linux/short-directory.ts';

/** Bytes of `metrics/<role>-<eight digits>.sock`, with room for a longer role. */
const LONGEST_SOCKET = 40;

/**
 * Where everything lies inside the data directory (0700). One list, so that roles and commands agree. Sockets are asked for
 * when they are wanted, because a long path is another one then (`shortDirectory`), for which the directory must be there.
 */
export function dataDirPaths(dataDir: string) {
  const inside = (...parts: string[]): string => path.join(dataDir, ...parts);
  const socket = (...parts: string[]): string => path.join(shortDirectory(dataDir, LONGEST_SOCKET), ...parts);
  return {
    dataDir,
    /** Settings of this installation. */
    configFile: inside('writ.toml'),
    /** Directory of the private Redis server. */
    redis: inside('redis'),
    /** Private keys (0600) and public key sets. */
    kernelKey: inside('keys', 'kernel.key.json'),
    kernelKeyring: inside('keys', 'kernel.jwks.json'),
    executorKey: inside('keys', 'executor.key.json'),
    executorKeyring: inside('keys', 'executor.jwks.json'),
    /** API keys by their hashes (0600), and the first operator's key in the clear (0600). */
    apiKeys: inside('keys', 'api-keys.json'),
    operatorKey: inside('keys', 'operator.key'),
    /** Where the running API can be reached; there while it runs. */
    apiUrl: inside('api.url'),
    /** One-time links for browsers: a file each, named by the hash of the token, gone when used. */
    loginLinks: inside('login-links'),
    /** A copy of what queues and ledger know, for finding tasks; may be deleted. */
    taskIndex: inside('task-index.db'),
    /** Agent mail and its full text, in a directory of its own. */
    messages: inside('messages', 'messages.sqlite'),
    screenShelf: inside('messages', 'screen.json'),
    /** Tantivy's index of them; may be deleted. */
    messagesTantivy: inside('messages', 'tantivy'),
    /** Vectors of them; may be deleted while nothing runs. */
    messagesVectors: inside('messages', 'vectors'),
    /** What running searches put on the disk. */
    searchSpill: inside('search'),
    /** Sockets on which the processes of this data directory show their metrics. */
    get metrics() {
      return socket('metrics');
    },
    /** Which roles run, and with which settings. */
    running: inside('running'),
    /** Where the API runs commands for others of this host. */
    commands: inside('commands'),
    /** Notices to receivers of webhooks. */
    webhooks: inside('webhooks'),
    /** The key that signs them lies with them: the API may write here, and need not write among the other keys. */
    webhookKey: inside('webhooks', 'webhook.key.json'),
    webhookKeyring: inside('webhooks', 'webhook.jwks.json'),
    get kernelSocket() {
      return socket('kernel', 'kernel.sock');
    },
    /** The part of the kernel that the plan role may reach, in a directory of its own. */
    get deriveSocket() {
      return socket('derive', 'derive.sock');
    },
    /** What plans have seen. */
    planJournal: inside('plan-journal'),
    /** Requests that tools were about to be sent. */
    toolJournal: inside('tool-journal'),
    kernelStore: inside('kernel', 'kernel.db'),
    journal: inside('journal.db'),
    /** Lock files of worker processes. */
    workers: inside('workers'),
    revocations: inside('revocations.ndjson'),
    /** What operators did, one hash-chained JSON line each. */
    audit: inside('audit.ndjson'),
    /** What the roles of `writ up` log, a file each. */
    logs: inside('logs'),
    /** Locked by the `writ up` that runs; holds its process number. */
    upLock: inside('up.lock'),
    /** Present once the tour of the first start has been given. */
    tourGiven: inside('tour-given'),
    /** Made by the first `writ up`, beside the data directory: base directories lie apart from it. */
    workspace: path.join(path.dirname(dataDir), 'writ-workspace'),
  } as const;
}

export type DataDirPaths = ReturnType<typeof dataDirPaths>;
