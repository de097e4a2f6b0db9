import { type Probe, passed } from '../../core/findings.ts';
import { createCertificateFiles } from './certificate.ts';

/** Looks at the certificate of the API, where the settings name one. */
export function certificateProbes({ cert_file: certFile, key_file: keyFile }: { readonly cert_file: string; readonly key_file: string }): Probe[] {
  if (certFile === '') return [];
  const look: Probe['look'] = () => {
    let found = '';
    const onTaken = (subject: string, validTo: Date): void => {
      found = `${subject}, until ${validTo.toISOString()}`;
    };
    createCertificateFiles({ certFile, keyFile, onTaken }).current();
    return passed(found);
  };
  return [{ title: 'certificate of the API', look, todo: 'mend http.tls.cert_file and http.tls.key_file (docs/security.md)' }];
}
