import type { GuardPorts } from './machine';

/**
 * The same ports, with the guard's requests already on their way: they do not depend on each other's answers, only what is made of
 * them does, and that order stays. Each answer is used once; what is asked again afterwards is asked of the server again.
 * Without a CSRF cookie nobody is signed in, and the guard stops after the settings.
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

/** Asks now; the first call gets that answer, every later one asks anew. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = ask();
  // A failure that the guard never comes to is nobody's.
  answer.catch(() => undefined);
  return () => {
    const first = answer;
    answer = null;
    return first ?? ask();
  };
}
