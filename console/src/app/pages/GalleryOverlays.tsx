import { Columns3, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { Drawer } from '#/ui/drawer';
import { Field, TextInput } from '#/ui/field';
import { MenuButton } from '#/ui/menu';
import { PopoverButton } from '#/ui/popover';
import { Checkbox } from '#/ui/choice';
import { toast } from '#/ui/toast';
import { TipButton } from '#/ui/tooltip';
import { nothing, Part } from './GalleryPart';

export function Overlays() {
  const [open, setOpen] = useState(false);
  const [drawer, setDrawer] = useState(false);
  return (
    <Part title="Overlays">
      <div className="flex flex-wrap gap-2">
        <MenuButton
          label="Node"
          entries={[
            { id: 'new', label: 'New node', icon: Plus },
            { id: 'no', label: 'Rename', disabledReason: 'The root node is fixed' },
            { id: 'delete', label: 'Delete node', icon: Trash2, danger: true, separated: true },
          ]}
        >
          Menu
        </MenuButton>
        <PopoverButton icon={Columns3} label="Popover">
          <div className="grid">
            <Checkbox defaultChecked>Name</Checkbox>
            <Checkbox>Comment</Checkbox>
          </div>
        </PopoverButton>
        <TipButton icon={Trash2} label="Tooltip" shortcut="Delete" onPress={nothing} />
        <Button onClick={() => setOpen(true)}>Dialog</Button>
        <Button onClick={() => setDrawer(true)}>Drawer</Button>
        <Button
          onClick={() =>
            void confirm({
              title: 'Terminate 3 sessions?',
              effect: 'Users are disconnected at once. Recordings are kept and sealed.',
              names: ['zhaomin → mysql-order-01', 'wangxf → web-prod-sh-014', 'sunyue → redis-session-03'],
              confirmLabel: 'Terminate 3 sessions',
              danger: true,
            })
          }
        >
          Confirm
        </Button>
        <Button onClick={() => toast({ tone: 'ok', text: '3 assets updated' })}>Toast</Button>
        <Button onClick={() => toast({ tone: 'error', text: '2 assets failed', detail: 'req 4f1c-88a2' })}>
          Error toast
        </Button>
      </div>
      <Drawer title="Preview" isOpen={drawer} onClose={() => setDrawer(false)}>
        <div className="grid gap-3 p-4">
          <h2 className="text-lead">Preview</h2>
          <Button onClick={() => setDrawer(false)}>Close</Button>
        </div>
      </Drawer>
      <Dialog
        isOpen={open}
        title="Node"
        onClose={() => setOpen(false)}
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <Field label="Name" layout="above">
          {(control) => <TextInput {...control} />}
        </Field>
      </Dialog>
    </Part>
  );
}
