import { useEffect } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { lazyPart } from '#/resource/lazy-part';
import { openCredentialDialog, useCredentialDialog } from './dialog';
import { keptCredential } from './kept-credential.resource';

const EnterDialog = lazyPart(async () => (await import('./EnterDialog')).EnterDialog);

/** Credentials that the person has entered for their next sessions, with ways to enter, replace and forget them. */
export function MyCredentialsPage() {
  const asked = useCredentialDialog((state) => state.asked);
  // A page that is left takes its dialog along.
  useEffect(() => () => openCredentialDialog(null), []);
  return (
    <>
      <ResourceList resource={keptCredential} />
      {asked !== null && (
        <EnterDialog of={asked.of} onDone={asked.done} onClose={() => openCredentialDialog(null)} />
      )}
    </>
  );
}
