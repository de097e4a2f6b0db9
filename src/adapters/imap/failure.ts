/** What ends a search in the midst of a mailbox. `code` reaches the answer EXECUTION_FAILED, the text stays here. */
export class ImapFailure extends Error {
  override readonly name = 'ImapFailure';
  readonly code: 'IMAP_INCOMPLETE' | 'IMAP_CONNECTION_LOST' | 'IMAP_MALFORMED';

  constructor(code: ImapFailure['code'], message: string) {
    super(message);
    this.code = code;
  }
}
