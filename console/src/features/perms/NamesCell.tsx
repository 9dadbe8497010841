import { useT } from '#/lib/i18n';
import { AppLink, CellLink } from '#/ui/link';
import { PopoverButton } from '#/ui/popover';
import { Missing } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import type { NamedObject } from './named';

/** Names, each with its icon and a link to its page. */
export function NameList({ objects }: { readonly objects: readonly NamedObject[] }) {
  return (
    <ul>
      {objects.map(({ id, name, detail, to, icon: IconOf }) => (
        <li key={id} className="flex min-h-7 items-center gap-2">
          <IconOf className="size-[14px]! flex-none text-ink-3" aria-hidden />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <AppLink to={to}>{visible(name)}</AppLink>
            {detail !== '' && <span className="ml-2 text-meta text-ink-3">{visible(detail)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/**
 * The first name with a link; a button opens the others below it. `label` names the column, e.g. "Who: Web release".
 */
export function NamesCell({
  objects,
  label,
}: {
  readonly objects: readonly NamedObject[];
  readonly label: string;
}) {
  const t = useT();
  const [first, ...others] = objects;
  if (first === undefined) return <Missing />;
  const IconOf = first.icon;
  return (
    <span className="flex max-w-44 items-center gap-1.5">
      <IconOf className="size-[14px]! flex-none text-ink-3" aria-hidden />
      <CellLink
        to={first.to}
        className="min-w-0 truncate text-ink-1 hover:underline"
        title={visible(first.detail === '' ? first.name : `${first.name} ${first.detail}`)}
      >
        {visible(first.name)}
      </CellLink>
      {others.length > 0 && (
        <PopoverButton
          text={`+${others.length}`}
          label={t('perms:names.more', { label, count: others.length })}
          align="start"
        >
          <div className="max-h-80 max-w-96 overflow-y-auto px-1">
            <NameList objects={objects} />
          </div>
        </PopoverButton>
      )}
    </span>
  );
}
