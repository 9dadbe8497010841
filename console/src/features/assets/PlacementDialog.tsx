import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { assetOptions, nodeOptions } from '#/domain/remotes';
import { Button } from '#/ui/button';
import { RadioGroup } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { type Placement, place } from './asset-actions';

const WAYS = ['replace', 'add'] as const;

/** Which assets go into which node, and whether they leave the others. */
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
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const [target] = node;
    if (busy || target === undefined || assets.length === 0) return;
    setBusy(true);
    setFailure(null);
    try {
      await place(way, target, assets);
      onClose();
      placement.done();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
  };
  const required = t('resource:form.required');
  const count = placement.assets?.length ?? 0;
  return (
    <Dialog
      isOpen
      title={
        placement.node
          ? t('assets:place.into', { node: placement.node.label })
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
          <Field
            label={t('assets:place.node')}
            error={tried && node.length === 0 ? required : undefined}
            layout="above"
            required
          >
            {(control) => (
              <RemoteSelect
                control={control}
                label={t('assets:place.node')}
                remote={nodeOptions}
                multiple={false}
                value={node}
                onChange={setNode}
              />
            )}
          </Field>
        )}
        {!placement.assets && (
          <Field
            label={t('assets:place.assets')}
            error={tried && assets.length === 0 ? required : undefined}
            layout="above"
            required
          >
            {(control) => (
              <RemoteSelect
                control={control}
                label={t('assets:place.assets')}
                remote={assetOptions}
                multiple
                value={assets}
                onChange={setAssets}
              />
            )}
          </Field>
        )}
        {/* i18n: assets:place.way.* */}
        <Field label={t('assets:place.others')} layout="above" group>
          {() => (
            <RadioGroup
              name="way"
              options={WAYS.map((one) => ({ value: one, label: t(`assets:place.way.${one}`) }))}
              value={way}
              onChange={(value) => setWay(value === 'add' ? 'add' : 'replace')}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
