import type { SearchGrant, SearchViewer } from '../../../core/ports/index.ts';

/** As whom a caller searches the messages: by what their key is bound to, and nothing that they say; without a grant as an operator. */
export function viewerOf({ grant }: { readonly grant?: SearchGrant | undefined }): SearchViewer {
  return grant === undefined ? null : { grant };
}
