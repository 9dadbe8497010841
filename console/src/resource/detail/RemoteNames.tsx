import { useMemo } from 'react';
import type { PickerOption } from '#/ui/picker';
import { Chip, Missing } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import type { RemoteOptions } from '../define';
import { useChosenOptions } from '../form/chosen-options';

/** Names that are loaded and shown; of the others their number is shown. */
const SHOWN = 50;
const NONE: ReadonlyMap<string, PickerOption> = new Map();

/** Objects of a list, by name. */
export function RemoteNames({
  remote,
  ids,
}: {
  readonly remote: RemoteOptions;
  readonly ids: readonly string[];
}) {
  const first = useMemo(() => ids.slice(0, SHOWN), [ids]);
  const options = useChosenOptions(remote, first, NONE);
  if (options.length === 0) return <Missing />;
  return (
    <span className="inline-flex flex-wrap gap-1.5 align-middle">
      {options.map(({ id, label }) => (
        <Chip key={id}>
          <bdi>{visible(label)}</bdi>
        </Chip>
      ))}
      {ids.length > first.length && <Chip>+{ids.length - first.length}</Chip>}
    </span>
  );
}
