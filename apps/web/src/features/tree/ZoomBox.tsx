import { useStore } from '@xyflow/react';
import { Minus, Plus } from 'lucide-react';
import { IconButton } from '../../components/IconButton.tsx';

/** Zoom with its figure; keys + and −. */
export function ZoomBox({ onZoom }: { readonly onZoom: (factor: number) => void }) {
  const percent = useStore((state) => percentText(state.transform[2]));
  return (
    <div className="tree-zoom" role="group" aria-label="Zoom">
      <IconButton label="Zoom out" kbd="-" icon={Minus} onClick={() => onZoom(0.8)} />
      <span data-testid="tree-zoom">{percent}</span>
      <IconButton label="Zoom in" kbd="+" icon={Plus} onClick={() => onZoom(1.25)} />
    </div>
  );
}

const percentText = (zoom: number): string => (zoom < 0.01 ? '< 1 %' : `${Math.round(zoom * 100)} %`);
