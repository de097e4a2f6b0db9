import type { Config } from '../../../config/schema.ts';
import type { SearchScope } from '../../core/ports/index.ts';

type ScopeSetting = Config['search']['scopes'][string];

/** The allow-list of searches from the settings; each entry in the words of the port. */
export function searchScopes({ search }: Pick<Config, 'search'>): Readonly<Record<string, SearchScope>> {
  return Object.fromEntries(Object.entries(search.scopes).map(([id, setting]) => [id, scopeOf(setting)]));
}

function scopeOf(setting: ScopeSetting): SearchScope {
  switch (setting.kind) {
    case 'files':
      return setting;
    case 'emails': {
      if (setting.store !== 'imap') return setting;
      const { password_file: passwordFile, ca_file: caFile, ...imap } = setting;
      return { ...imap, passwordFile, caFile };
    }
    case 'datasets': {
      const { primary_key: primaryKey, ...dataset } = setting;
      return { ...dataset, primaryKey };
    }
  }
}
