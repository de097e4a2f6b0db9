export { fieldText, mailDate, type ReadMail, readMail } from './emails/read-mail.ts';
export { createSearchExecutor, type SearchExecutorOptions } from './executor.ts';
