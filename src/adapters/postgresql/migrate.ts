import { readdirSync, readFileSync } from 'node:fs';
import type { Query } from './open.ts';

/**
 * Brings a schema to its newest version: applies every `NNN_name.sql` whose number is above the one that is noted, in order, in the
 * caller's transaction. Several processes may do so at once: one works, the others wait and find it done.
 *
 * @throws Error when the schema was written by a newer version of Writ
 */
export async function migratePostgresql(query: Query, schema: string, directory: URL): Promise<void> {
  await query({ text: `SELECT pg_advisory_xact_lock(hashtext(?))`, params: [`writ ${schema}`] });
  await query({ text: `CREATE SCHEMA IF NOT EXISTS ${schema}`, params: [] });
  await query({ text: `CREATE TABLE IF NOT EXISTS ${schema}.migrations (version int PRIMARY KEY)`, params: [] });
  const [[found] = []] = await query({ text: `SELECT coalesce(max(version), 0) FROM ${schema}.migrations`, params: [] });
  const names = readdirSync(directory)
    .filter((name) => /^\d{3}_[a-z0-9_]+\.sql$/.test(name))
    .sort();
  if (Number(found) > names.length) throw new Error(`the schema ${schema} has version ${found}, this version of Writ knows ${names.length}`);
  for (const name of names.slice(Number(found))) {
    await query({ text: readFileSync(new URL(name, directory), 'utf8'), params: [] });
    await query({ text: `INSERT INTO ${schema}.migrations (version) VALUES (?)`, params: [Number(name.slice(0, 3))] });
  }
}
