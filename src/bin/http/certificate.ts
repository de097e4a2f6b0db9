import type { Config } from '../../../config/schema.ts';
import { type CertificateFiles, createCertificateFiles } from '../../adapters/tls/certificate.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Metrics } from '../../observability/metrics.ts';

/** The certificate of the API, where the settings name one; files are looked at every few seconds, and at once on SIGHUP. */
export function apiCertificate(
  { http: { tls } }: Config,
  log: Logger,
  metrics: Metrics,
): { readonly certificate?: CertificateFiles; readonly parts: readonly Lifecycle[] } {
  if (tls.cert_file === '') return { parts: [] };
  const certificate = createCertificateFiles({
    certFile: tls.cert_file,
    keyFile: tls.key_file,
    onTaken(subject, validTo) {
      metrics.set('writ_certificate_expires_timestamp_seconds', {}, validTo.getTime() / 1000);
      log.info({ subject, validTo: validTo.toISOString() }, LOG_LINES.certificate.message);
    },
    onRefused: (error) => log.error({ err: error }, LOG_LINES.certificateKept.message),
  });
  const onSignal = lifecycle(
    () => void process.on('SIGHUP', certificate.reload),
    () => void process.off('SIGHUP', certificate.reload),
  );
  return { certificate, parts: [sequential([certificate, onSignal])] };
}
