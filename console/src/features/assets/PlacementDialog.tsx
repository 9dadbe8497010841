import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { NotFoundError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { placementEffect } from '#/domain/access-preview/effects';
import { assetOptions, nodeOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { type Placement, place } from './placement';

const WAYS = ['replace', 'add'] as const;

/** A required choice of one or several rows of a list. */
function RowsField({
  label,
  remote,
  multiple = false,
  value,
  isMissing,
  onChange,
}: {
  readonly label: string;
  readonly remote: RemoteOptions;
  readonly multiple?: boolean;
  readonly value: readonly string[];
  readonly isMissing: boolean;
  readonly onChange: (ids: readonly string[]) => void;
}) {
  const t = useT();
  return (
    <Field label={label} error={isMissing ? t('resource:form.required') : undefined} layout="above" required>
      {(control) => (
        <RemoteSelect
          control={control}
          label={label}
          remote={remote}
          multiple={multiple}
          value={value}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

/** Asks for assets and a node, and whether the assets leave their other nodes. */
export function PlacementDialog({
  placement,
  onClose,
}: {
  readonly placement: Placement;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [node, setNode] = useState<readonly string[]>(placement.node ? [placement.node.id] : []);
  const [assets, setAssets] = useState<readonly string[]>(placement.assets ?? []);
  const [way, setWay] = useState<Placement['way']>(placement.way);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [target] = node;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (busy || target === undefined || assets.length === 0) return;
    setBusy(true);
    setFailure(null);
    try {
      await place(way, target, assets);
      onClose();
      placement.done();
    } catch (error) {
      setFailure(error instanceof NotFoundError ? t('assets:node.gone') : explain(error));
      setBusy(false);
      // The node or some assets may be gone: tree and list show what is there now.
      void queryClient.invalidateQueries({ queryKey: ['tree'] });
      void queryClient.invalidateQueries({ queryKey: ['list'] });
    }
  };
  const count = placement.assets?.length ?? 0;
  return (
    <Dialog
      isOpen
      title={
        placement.node
          ? placement.assets
            ? t('assets:place.these_into', { count, node: placement.node.label })
            : t('assets:place.into', { node: placement.node.label })
          : t('assets:place.these', { count })
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t(way === 'replace' ? 'assets:place.move' : 'assets:place.add')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={(event) => void submit(event)}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        {!placement.node && (
          <RowsField
            label={t('assets:place.node')}
            remote={nodeOptions}
            value={node}
            isMissing={tried && node.length === 0}
            onChange={setNode}
          />
        )}
        {!placement.assets && (
          <RowsField
            label={t('assets:place.assets')}
            remote={assetOptions}
            multiple
            value={assets}
            isMissing={tried && assets.length === 0}
            onChange={setAssets}
          />
        )}
        {/* i18n: assets:place.way.* */}
        <Field label={t('assets:place.others')} layout="above" group>
          {() => (
            <RadioGroup
              name="way"
              options={WAYS.map((option) => ({ value: option, label: t(`assets:place.way.${option}`) }))}
              value={way}
              onChange={(value) => setWay(value === 'add' ? 'add' : 'replace')}
            />
          )}
        </Field>
        {target !== undefined &&
          assets.length > 0 &&
          placementEffect(assets, way === 'replace' ? { nodes: [target] } : { add: [target] })}
      </form>
    </Dialog>
  );
}
