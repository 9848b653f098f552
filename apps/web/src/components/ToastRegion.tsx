import { useEffect } from 'react';
import { toast, Toaster as Sonner } from 'sonner';
import type { Message } from './toast.ts';
import 'sonner/dist/styles.css';

/** The code of the messages, fetched once the page has nothing else to do. */
export function ToastRegion({ message }: { readonly message: Message }) {
  useEffect(() => {
    toast.dismiss();
    toast.custom((id) => <>{message.render(() => toast.dismiss(id))}</>, { duration: message.durationMs });
  }, [message]);
  return (
    <Sonner
      position="bottom-right"
      visibleToasts={1}
      gap={8}
      // Above the timeline and, on a phone, the tabs: a proof stays until it is dismissed.
      offset={{ bottom: 88, right: 16 }}
      mobileOffset={{ bottom: 112, left: 12, right: 12 }}
      containerAriaLabel="Messages"
    />
  );
}
