import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ExecutionResult, TaskManifest } from '../../src/contracts/index.ts';
import { manifestOf } from '../support/rig.ts';
import type { Field } from './field.ts';

/** A case's own directories in every base, so that cases do not meet. */
export interface Stage {
  readonly field: Field;
  /** What is done here; task ids begin with it. */
  readonly label: string;
  readonly main: string;
  readonly other: string;
  readonly tiny: string;
  /** A content that exists once in the whole run. */
  content(bytes?: number): string;
  manifest(capability: string, source: string, destination?: string, changes?: Partial<TaskManifest>): TaskManifest;
}

let stages = 0;
let contents = 0;

export function createStage(field: Field, label: string): Stage {
  stages += 1;
  const name = `c${stages}`;
  const inside = (base: string): string => path.join(base, name);
  const stage: Stage = {
    field,
    label,
    main: inside(field.rig.base),
    other: inside(field.rig.otherBase),
    tiny: field.tiny ? inside(field.tiny.directory) : '',
    content(bytes = 0) {
      contents += 1;
      const head = `content ${contents} of ${name}; `;
      return head.repeat(Math.max(1, Math.ceil(bytes / head.length)));
    },
    manifest: (capability, source, destination, changes) => manifestOf(capability, source, destination, { task_id: `${label}-${randomUUID()}`, ...changes }),
  };
  for (const directory of [stage.main, stage.other]) mkdirSync(directory);
  return stage;
}

/** The base directory that a path of the stage lies in. */
export function baseOf({ field }: Stage, file: string): string {
  return [field.rig.base, field.rig.otherBase].find((base) => file.startsWith(`${base}/`)) ?? field.tiny?.directory ?? '';
}

/** What the last undo needs of a finished task. */
export function recoveryPath(result: ExecutionResult): string | undefined {
  const undo: unknown = result.output?.['undo_metadata'];
  const recovery: unknown = typeof undo === 'object' && undo !== null ? Reflect.get(undo, 'recovery_path') : undefined;
  return typeof recovery === 'string' ? recovery : undefined;
}
