import { AccountSecret } from '#/domain/account-secret';
import { closeAccountDialog, useAccountDialog } from './account-actions';
import { accountName } from './account-row';
import { UpdateSecretDialog } from './UpdateSecretDialog';
import { VersionsDialog } from './VersionsDialog';

/** The dialog about one account that is open. What it shows is forgotten when it closes. */
export function AccountDialogs() {
  const asked = useAccountDialog((state) => state.asked);
  if (asked === null) return null;
  const props = { row: asked.row, onClose: closeAccountDialog };
  if (asked.kind === 'secret') {
    return (
      <AccountSecret
        api="assets/account-secrets/"
        id={asked.row.id}
        name={accountName(asked.row)}
        onClose={closeAccountDialog}
      />
    );
  }
  if (asked.kind === 'versions') return <VersionsDialog {...props} onDone={asked.done} />;
  return <UpdateSecretDialog {...props} onDone={asked.done} />;
}
