import { isThere } from '../../adapters/files/is-there.ts';
import type { MessageImporter } from '../../core/ports/index.ts';
import { openMessagesReader } from '../store/open.ts';
import { importMark } from '../store/write/imports.ts';
import type { MailReader } from './mail-message.ts';
import { openImport } from './open-source.ts';

/** Imports into the messages of a file. @param reader takes mail apart */
export function createMessageImporter(file: string, reader: MailReader): MessageImporter {
  return {
    open: (path, options) => openImport(path, options, reader),
    async mark(name) {
      // Before the first message there is no database.
      if (!isThere(file)) return undefined;
      const db = openMessagesReader(file);
      try {
        return importMark(db, name);
      } finally {
        db.close();
      }
    },
  };
}
