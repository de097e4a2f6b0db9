import { approvalStore } from '../../../src/adapters/sqlite/kernel-store/approval-store.ts';
import { scheduleStore } from '../../../src/adapters/sqlite/kernel-store/schedule-store.ts';
import { migrate } from '../../../src/adapters/sqlite/migrate.ts';
import { openDatabase } from '../../../src/adapters/sqlite/open.ts';
import type { ApprovalStore, ScheduleStore } from '../../../src/core/ports/index.ts';
import { emptied } from './stores.ts';

/** What the kernel keeps in SQL and a history looks at. */
interface KernelStores {
  readonly schedules: ScheduleStore;
  readonly approvals: ApprovalStore;
}

let engine: { readonly stores: KernelStores; readonly empty: () => void } | undefined;

/** The product's SQL on SQLite in memory, opened once per process and emptied for each history that has something there. */
export function emptyKernelStores(): KernelStores {
  engine ??= open();
  engine.empty();
  return engine.stores;
}

function open(): NonNullable<typeof engine> {
  const db = openDatabase(':memory:');
  migrate(db, new URL('../../../src/adapters/sqlite/sql/kernel/', import.meta.url));
  return { stores: { schedules: scheduleStore(db), approvals: approvalStore(db) }, empty: emptied(db, []) };
}
