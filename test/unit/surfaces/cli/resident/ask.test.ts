import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex, PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askResident } from '../../../../../src/surfaces/cli/resident/ask.ts';
import type { Call } from '../../../../../src/surfaces/cli/resident/call.ts';
import { frameOf } from '../../../../../src/surfaces/cli/resident/frames.ts';
