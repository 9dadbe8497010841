import { NoAccessDialog } from './NoAccessDialog';
import { SystemUserDialog } from './SystemUserDialog';
import type { Opening } from './use-opening';

/** Dialogs before a session starts: the choice of an account, or why there is no access. */
export function OpeningDialogs({ opening }: { readonly opening: Opening }) {
  const { choice, noAccess, start, leave } = opening;
  if (noAccess !== null) return <NoAccessDialog assetId={noAccess} onClose={leave} />;
  if (choice === null) return null;
  return (
    <SystemUserDialog
      asset={choice.asset}
      choices={choice.systemUsers}
      onChoose={(systemUser) => start(choice.asset, systemUser)}
      onCancel={leave}
    />
  );
}
