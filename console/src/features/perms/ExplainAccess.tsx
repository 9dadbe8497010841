import { ExplainAsset } from '#/domain/explain/ExplainCard';
import { translate } from '#/lib/i18n';
import { Chip } from '#/ui/status';
import { chosenLeaves } from './actions';

function actionChips(names: readonly string[]) {
  return (
    <p className="flex flex-wrap gap-1.5">
      {[...chosenLeaves(names)].map((name) => (
        <Chip key={name}>{translate(`perms:actions.${name}`)}</Chip>
      ))}
    </p>
  );
}

/** Explains access to an asset, with what an allowed person may do there. */
export function ExplainAccess() {
  return <ExplainAsset allowed={actionChips} />;
}
