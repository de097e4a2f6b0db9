export { DIALECTS } from './dialects.ts';
