import { cursor } from './boundaries/cursor.ts';
import { csv, jsonLines, parquet } from './boundaries/dataset.ts';
import { cel, envelope } from './boundaries/envelope.ts';
import { audit, keys, runtimeFiles, segment } from './boundaries/files-on-disk.ts';
import { http } from './boundaries/http.ts';
import { job } from './boundaries/job.ts';
import { journal } from './boundaries/journal.ts';
import { lease } from './boundaries/lease.ts';
import { mail, mbox, messageLines } from './boundaries/mail.ts';
import { mcp } from './boundaries/mcp.ts';
import { messages } from './boundaries/messages.ts';
import { pushInput } from './boundaries/push-input.ts';
import { contentRequest, searchInputs } from './boundaries/requests.ts';
import { configuration, registry } from './boundaries/settings.ts';
import type { Boundary } from './boundary.ts';

/** Every boundary at which something comes in that others wrote. A new one is a row here. */
export const BOUNDARIES = {
  ...{ http, job, lease, envelope, cel },
  ...{ 'content-request': contentRequest, 'search-inputs': searchInputs, messages, cursor, mcp },
  ...{ mail, mbox, 'message-lines': messageLines, csv, jsonl: jsonLines, parquet },
  ...{ configuration, registry, 'push-input': pushInput },
  ...{ journal, segment, keys, audit, 'runtime-files': runtimeFiles },
} satisfies Readonly<Record<string, Boundary>>;
export type BoundaryName = keyof typeof BOUNDARIES;
