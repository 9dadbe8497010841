import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Checkbox } from '#/ui/choice';
import {
  ACTION_TREE,
  FORWARD,
  type ActionNode,
  actionNames,
  chosenLeaves,
  leavesOf,
} from '#/domain/explain-access/actions';

function Action({
  node,
  leaves,
  onToggle,
  disabled,
}: {
  readonly node: ActionNode;
  readonly leaves: ReadonlySet<string>;
  readonly onToggle: (node: ActionNode) => void;
  readonly disabled: boolean;
}) {
  const t = useT();
  const own = leavesOf(node);
  const on = own.filter((name) => leaves.has(name)).length;
  // i18n: perms:actions.*
  return (
    <Checkbox
      checked={on === own.length}
      indeterminate={on > 0 && on < own.length}
      disabled={disabled}
      onChange={() => onToggle(node)}
    >
      {t(`perms:actions.${node.name}`)}
    </Checkbox>
  );
}

/** The tree of allowed actions: all, connect, files, clipboard; and port forwarding, which `all` does not include. */
export function ActionsField({ input }: { readonly input: CustomInput }) {
  const leaves = chosenLeaves(Array.isArray(input.value) ? input.value.map(String) : []);
  const toggle = (node: ActionNode) => {
    const next = new Set(leaves);
    const own = leavesOf(node);
    const allOn = own.every((name) => next.has(name));
    for (const name of own) {
      if (allOn) next.delete(name);
      else next.add(name);
    }
    input.onChange(actionNames(next));
  };
  const action = (node: ActionNode) => (
    <Action node={node} leaves={leaves} onToggle={toggle} disabled={input.disabled} />
  );
  return (
    <div role="group" id={input.id} aria-label={input.label} aria-describedby={input.describedBy}>
      {action(ACTION_TREE)}
      <div className="grid gap-x-6 sm:grid-cols-3">
        {ACTION_TREE.children.map((child) => (
          <div key={child.name} className="grid content-start max-sm:gap-1">
            {action(child)}
            {child.children.map((grandchild) => (
              <span key={grandchild.name} className="pl-5">
                {action(grandchild)}
              </span>
            ))}
          </div>
        ))}
      </div>
      {action(FORWARD)}
    </div>
  );
}
