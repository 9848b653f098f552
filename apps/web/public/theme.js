// Runs before the first paint, as a file of its own: the page's policy allows no inline script.
try {
  const theme = localStorage.getItem('checkpoint-inspector.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  const settings = JSON.parse(localStorage.getItem('checkpoint-inspector.settings') ?? '{}');
  if (settings.density === 'compact') document.documentElement.dataset.density = 'compact';
} catch {
  // Storage is off: the system's theme holds.
}
