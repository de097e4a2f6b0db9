import { statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { copySql } from './duckdb-sql.ts';
import { writeMail } from './mail/store.ts';
import { writeCsv } from './rows.ts';
import { type DataPlaces, placesIn } from './scopes.ts';
import { type DataSets, needRoom } from './sets.ts';
import { SEED, type Sizes } from './sizes.ts';
import { writeTree } from './tree.ts';

const MailShape = z.object({
  messages: z.number(),
  mboxBytes: z.number(),
  maildirBytes: z.number(),
  matches: z.number(),
  first: z.array(z.string()).readonly(),
});
const RowsShape = z.object({ csv: z.number(), parquet: z.number(), jsonl: z.number() });

export interface BenchData {
  readonly places: DataPlaces;
  readonly rows: z.infer<typeof RowsShape>;
  readonly mail: z.infer<typeof MailShape>;
}

/** About what one of each takes on the disk, bytes. */
const ROOM = { file: 400, row: 350, message: 25_000 };

/** Makes what is not there yet. */
export async function prepareData(sets: DataSets, sizes: Sizes, progress: (line: string) => void): Promise<BenchData> {
  const files = sizes.files80k + sizes.files1m;
  needRoom(sets.directory, files * ROOM.file + sizes.rows * ROOM.row + sizes.messages * ROOM.message, files * 1.1 + sizes.messages);
  const tree = (name: string, count: number) =>
    sets.get(name, { seed: SEED, count }, z.object({ files: z.number() }), (folder) => {
      progress(`making ${count} files`);
      writeTree(path.join(folder, 'tree'), count);
      return { files: count };
    });
  const rows = await sets.get('rows', { seed: SEED, count: sizes.rows }, RowsShape, (folder) => {
    progress(`making ${sizes.rows} records`);
    return writeRows(folder, sizes.rows);
  });
  const mail = await sets.get('mail', { seed: SEED, count: sizes.messages }, MailShape, (folder) => {
    progress(`making ${sizes.messages} messages, twice`);
    return writeMail(folder, sizes.messages);
  });
  const files80k = await tree('files80k', sizes.files80k);
  const files1m = await tree('files1m', sizes.files1m);
  const places = placesIn({ files80k: files80k.folder, files1m: files1m.folder, rows: rows.folder, mail: mail.folder });
  return { places, rows: rows.facts, mail: mail.facts };
}

/** The same records in all formats. Returns the sizes in bytes. */
async function writeRows(folder: string, count: number): Promise<z.infer<typeof RowsShape>> {
  const [csv, parquet, jsonl] = ['rows.csv', 'rows.parquet', 'rows.jsonl'].map((name) => path.join(folder, name)) as [string, string, string];
  const bytes = writeCsv(csv, count);
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(copySql(csv, 'parquet', parquet));
  await connection.run(copySql(csv, 'json', jsonl));
  connection.closeSync();
  instance.closeSync();
  return { csv: bytes, parquet: statSync(parquet).size, jsonl: statSync(jsonl).size };
}
