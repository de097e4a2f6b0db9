/** Who Dovecot runs as and whom its files belong to. `drop`: we are root and must become this user first. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly user: string;
  readonly group: string;
  readonly drop: boolean;
}

export interface DovecotPlaces {
  readonly directory: string;
  readonly certificate: string;
  readonly key: string;
  readonly owner: Owner;
  readonly ports: { readonly tls: number; readonly starttls: number };
}

/** A Dovecot 2.3 that needs no root: every process is the same user, nothing is chrooted, nothing lies outside of its directory. */
export function dovecotConfig({ directory, certificate, key, owner, ports }: DovecotPlaces): string {
  return `
protocols = imap
base_dir = ${directory}/run
state_dir = ${directory}/state
log_path = /dev/stderr
instance_name = writ-test
default_internal_user = ${owner.user}
default_internal_group = ${owner.group}
default_login_user = ${owner.user}
first_valid_uid = 1
first_valid_gid = 1
ssl = required
ssl_cert = <${certificate}
ssl_key = <${key}
auth_mechanisms = plain login
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${directory}/passwd
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${directory}/mail
}
mail_location = maildir:${directory}/mail/Maildir
mail_fsync = never
mail_max_userip_connections = 100
auth_failure_delay = 0
namespace inbox {
  inbox = yes
}
service anvil {
  chroot =
  # Without it no login waits because of failed ones before.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = ${ports.starttls}
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${ports.tls}
    ssl = yes
  }
}
`;
}
