'use strict';
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  root.classList.add('js');

  // Light or dark: as the system says, until the reader chooses.
  const keep = (theme) => { try { localStorage.setItem('relay-theme', theme); } catch { /* not for files */ } };
  try { const theme = localStorage.getItem('relay-theme'); if (theme) root.dataset.theme = theme; } catch { /* as above */ }
  const turn = () => {
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    keep(root.dataset.theme);
  };
  byId('theme').addEventListener('click', turn);

  const side = document.querySelector('.side');
  byId('menu').addEventListener('click', () => side.classList.toggle('open'));

  // Branches: the one that is shown leads from the root to a leaf.
  const articles = all('#log > article');
  const below = new Map();
  for (const article of articles) {
    const up = article.dataset.up;
    if (up) below.has(up) ? below.get(up).push(article) : below.set(up, [article]);
  }
  const links = all('#tree a');
  const show = (article) => {
    const shown = new Set();
    for (let at = article; at; at = at.dataset.up && byId(at.dataset.up)) shown.add(at);
    for (let at = article, next; (next = below.get(at.id)); at = next.find((each) => !each.classList.contains('off')) || next[next.length - 1], shown.add(at));
    for (const each of articles) each.classList.toggle('off', !shown.has(each));
    for (const link of links) link.classList.toggle('aside', !shown.has(byId(link.hash.slice(1))));
  };
  const visit = () => {
    const article = byId(location.hash.slice(1));
    if (!article || article.tagName !== 'ARTICLE') return;
    if (article.classList.contains('off')) show(article);
    article.scrollIntoView({ block: 'start' });
    for (const each of all('.target')) each.classList.remove('target');
    article.classList.add('target');
    side.classList.remove('open');
  };
  addEventListener('hashchange', visit);
  // A link to where the reader is already does not change the address.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#e"]');
    if (link && link.hash === location.hash) visit();
  });

  // The outline follows the reader.
  const mark = new Map(links.map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = entry.isIntersecting && mark.get(entry.target.id);
      if (!link) continue;
      for (const each of all('#tree .here')) each.classList.remove('here');
      link.classList.add('here');
    }
  }, { rootMargin: '-10% 0px -70% 0px' });
  for (const article of articles) seen.observe(article);

  // What is shown.
  for (const chip of all('[data-hide]')) {
    chip.addEventListener('click', () => {
      const isOn = chip.getAttribute('aria-pressed') !== 'true';
      chip.setAttribute('aria-pressed', String(isOn));
      root.classList.toggle('no-' + chip.dataset.hide, !isOn);
    });
  }
  const fold = byId('fold');
  const unfold = () => {
    const isOpen = fold.getAttribute('aria-pressed') !== 'true';
    fold.setAttribute('aria-pressed', String(isOpen));
    fold.textContent = isOpen ? 'Collapse' : 'Expand';
    for (const each of all('#log details')) each.open = isOpen;
  };
  fold.addEventListener('click', unfold);

  // Search: entries without the words are hidden, the words are marked, Enter goes on to the next.
  const find = byId('find');
  const hits = byId('hits');
  const canMark = 'highlights' in CSS && typeof Highlight === 'function';
  let found = [];
  let current = -1;
  const search = () => {
    const words = find.value.trim().toLowerCase();
    found = [];
    current = -1;
    const ranges = [];
    for (const article of articles) {
      const isHit = words && article.textContent.toLowerCase().includes(words);
      article.classList.toggle('miss', Boolean(words) && !isHit);
      const link = mark.get(article.id);
      if (link) link.classList.toggle('miss', Boolean(words) && !isHit);
      if (!isHit) continue;
      if (article.classList.contains('off')) article.dataset.was = 'off';
      found.push(article);
      if (canMark && ranges.length < 5000) {
        const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const text = node.data.toLowerCase();
          for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, Math.min(at + words.length, node.length));
            ranges.push(range);
            const box = node.parentElement.closest('details');
            if (box) box.open = true;
          }
        }
      }
    }
    if (canMark) {
      CSS.highlights.delete('find');
      if (ranges.length) CSS.highlights.set('find', new Highlight(...ranges));
    }
    hits.textContent = words ? String(found.length) : '';
  };
  let waiting;
  find.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { find.value = ''; search(); find.blur(); }
    if (event.key !== 'Enter' || !found.length) return;
    current = (current + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    const article = found[current];
    if (article.classList.contains('off')) show(article);
    article.scrollIntoView({ block: 'start' });
    hits.textContent = `${current + 1}/${found.length}`;
  });
  document.addEventListener('keydown', (event) => {
    if (event.target.closest('input') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') { event.preventDefault(); side.classList.add('open'); find.focus(); }
    if (event.key === 't') turn();
    if (event.key === 'e') unfold();
  });
  visit();
})();
