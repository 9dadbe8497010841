/** Where people's own clients reach the SSH front. */
export interface SshAddress {
  readonly host: string;
  readonly port: number;
}

/** Something with a name that people read and an id that always fits. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Whom, as whom, and where to: what stands in the user name of an SSH sign-in. */
export interface SshTarget {
  readonly username: string;
  readonly systemUser: Named;
  readonly asset: Named;
}

const USUAL_PORT = 22;
/** No shell, no scp and no configuration file gives these characters a meaning. */
const PLAIN = /^[\p{L}\p{N}._-]+$/u;

function nameIn(login: Named): string {
  return PLAIN.test(login.name) ? login.name : login.id;
}

/** One word for a POSIX shell. */
function word(text: string): string {
  return /^[\p{L}\p{N}@=._:/[\]-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** `USER=SYSTEMUSER=ASSET`. Names with other characters give way to the id, which the server takes as well. */
export function loginName({ username, systemUser, asset }: SshTarget): string {
  return `${username}=${nameIn(systemUser)}=${nameIn(asset)}`;
}

const portOption = (flag: string, port: number): string => (port === USUAL_PORT ? '' : ` ${flag} ${port}`);

/** scp and sftp take the first colon for the end of the host. */
const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export function sshLine(target: SshTarget, { host, port }: SshAddress): string {
  return `ssh${portOption('-p', port)} ${word(`${loginName(target)}@${host}`)}`;
}

/** Without an account: the server takes the one of the highest priority that the person's permissions give. */
export function shortSshLine(
  { username, asset }: Pick<SshTarget, 'username' | 'asset'>,
  { host, port }: SshAddress,
): string {
  return `ssh${portOption('-p', port)} ${word(`${username}=${nameIn(asset)}@${host}`)}`;
}

export function sftpLine(target: SshTarget, { host, port }: SshAddress): string {
  return `sftp${portOption('-P', port)} ${word(`${loginName(target)}@${bracketed(host)}`)}`;
}

export function scpLine(target: SshTarget, { host, port }: SshAddress, file: string): string {
  return `scp${portOption('-P', port)} ${word(file)} ${word(`${loginName(target)}@${bracketed(host)}:/tmp/`)}`;
}

/** A name for the asset in files: without what `ssh_config` and inventories read as patterns or ends. */
function alias(asset: Named): string {
  return PLAIN.test(asset.name) ? asset.name : asset.id;
}

/** For `~/.ssh/config`; after it `ssh ASSET`, `scp` and editors work as with any host. */
export function sshConfig(target: SshTarget, { host, port }: SshAddress): string {
  return [
    `Host ${alias(target.asset)}`,
    `    HostName ${host}`,
    `    Port ${port}`,
    `    User ${loginName(target)}`,
  ].join('\n');
}

/** One line of an inventory. Ansible looks for the home of `ansible_user`, whom the host does not know: hence the last word. */
export function ansibleLine(target: SshTarget, { host, port }: SshAddress): string {
  return [
    alias(target.asset),
    `ansible_host=${host}`,
    `ansible_port=${port}`,
    `ansible_user=${loginName(target)}`,
    'ansible_remote_tmp=$HOME/.ansible/tmp',
  ].join(' ');
}
