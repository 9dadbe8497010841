import type { GuardPorts } from './machine';

/**
 * Guard ports whose requests are sent at once, in parallel. The requests do not depend on each other's answers; the
 * guard still processes the answers in its specified order. Each prefetched answer is used once; later calls ask the
 * server again. Without a CSRF cookie nobody is signed in and the guard stops after the settings, so only those are
 * prefetched.
 */
export function askAhead(ports: GuardPorts): GuardPorts {
  const settings = once(ports.loadSettings);
  if (ports.csrfToken() === null) return { ...ports, loadSettings: settings };
  const likely = ports.organizationOfProfile();
  const organization = once(() => ports.loadOrganization(likely));
  return {
    ...ports,
    loadSettings: settings,
    loadProfile: once(ports.loadProfile),
    loadOrganization: (id) => (id === likely ? organization() : ports.loadOrganization(id)),
  };
}

/** Sends the request now. The first call gets its answer; every later call sends a new request. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = ask();
  // The guard may stop before it uses this answer: a failure must not become an unhandled rejection.
  answer.catch(() => undefined);
  return () => {
    const first = answer;
    answer = null;
    return first ?? ask();
  };
}
