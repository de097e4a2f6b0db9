import { openDatabase } from '../../../src/adapters/sqlite/open.ts';

/** Opens the database that it is told of at the moment that it is told of, and says how that went. */
process.on('message', ({ file, at }: { readonly file: string; readonly at: number }) => {
  while (performance.timeOrigin + performance.now() < at);
  try {
    const db = openDatabase(file);
    db.exec('CREATE TABLE IF NOT EXISTS anything (id)');
    db.close();
    process.send?.('opened');
  } catch (error) {
    process.send?.(String(error));
  }
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
