"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const by = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const timeline = by("timeline"), scroll = document.querySelector(".scroll");
  const rows = all(".now tbody tr"), story = all("#story a"), lanes = all(".lane-name");
  const width = timeline.width.baseVal.value;

  // What is drawn of each run, in the order of its events.
  const drawn = all(".run").map((run) => all(".ev", run)
    .map((node) => ({ node, event: Number(node.dataset.e) }))
    .sort((a, b) => a.event - b.event));
  const events = drawn.flat().map((d) => d.node);

  let step = 0; // 0 is the whole run
  let lit = []; // what is highlighted as new in this step
  let playing = 0;

  // The instant at a place of the axis.
  function instantAt(x) {
    const knots = data.knots;
    let i = 1;
    while (i < knots.length - 1 && knots[i][1] < x) i++;
    const [t0, x0] = knots[i - 1], [t1, x1] = knots[Math.min(i, knots.length - 1)];
    return x1 > x0 ? t0 + (t1 - t0) * Math.min(1, Math.max(0, (x - x0) / (x1 - x0))) : t0;
  }

  function timeOfDay(nanoseconds) {
    const day = 86400000, ms = ((Math.floor(nanoseconds / 1e6) % day) + day) % day;
    return new Date(ms).toISOString().slice(11, 23);
  }

  // Every machine's own clock at an instant of true time.
  function showClocks(at) {
    by("true-time").textContent = `${(at / 1e6).toFixed(1)} ms`;
    data.clocks.forEach((readings, lane) => {
      const r = readings.findLast((reading) => reading.at <= at) || readings[0];
      const wall = r.wall + (at - r.at) * (1 + r.rate / 1e6);
      lanes[lane].querySelector(".clock").textContent = timeOfDay(wall);
      lanes[lane].classList.toggle("off", Math.abs(wall - at) >= 1e6);
    });
  }

  // The first of what is drawn of a run after an event.
  function after(list, event) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].event <= event) low = middle + 1; else high = middle;
    }
    return low;
  }

  function light(now, before) {
    for (const node of lit) node.classList.remove("now-here");
    lit = drawn.flatMap((list, run) => {
      const from = before ? after(list, before.events[run]) : 0;
      return list.slice(from, after(list, now.events[run])).map((d) => d.node);
    });
    for (const node of lit) node.classList.add("now-here");
  }

  function fill(now) {
    rows.forEach((row, run) => {
      const cells = row.querySelectorAll("td"), s = now && now.now[run];
      row.classList.toggle("apart", Boolean(s && s.apart));
      cells[0].textContent = s ? s.holds : "–";
      cells[1].textContent = s ? s.believes : "–";
      cells[2].textContent = s ? s.row : "–";
    });
  }

  function tell(link) {
    const caption = by("caption");
    caption.replaceChildren();
    if (!link) {
      caption.textContent = "The whole run. Step through it with the buttons or the arrow keys.";
      return;
    }
    for (const part of link.children) caption.append(part.cloneNode(true), " ");
  }

  // The picture is enlarged on wide screens.
  const scale = () => timeline.getBoundingClientRect().width / width;

  // Scrolls to a place of the axis, unless it is well in sight.
  const motion = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
  function reveal(x, behavior) {
    const { scrollLeft, clientWidth } = scroll, at = x * scale();
    if (at >= scrollLeft + clientWidth * 0.15 && at <= scrollLeft + clientWidth * 0.8) return;
    const left = at - clientWidth * 0.5;
    const near = Math.abs(left - scrollLeft) < 2 * clientWidth;
    scroll.scrollTo({ left, behavior: near ? behavior : "instant" });
  }

  function show(n, behavior) {
    const now = data.steps[n - 1];
    if (step) story[step - 1].removeAttribute("aria-current");
    step = n;
    document.body.classList.toggle("stepping", n > 0);
    by("cursor").style.visibility = now ? "visible" : "hidden";
    if (now) {
      by("cursor").setAttribute("transform", `translate(${now.x} 0)`);
      by("veil").setAttribute("x", now.x + 8); // what happens now stays clear
      by("veil").setAttribute("width", Math.max(0, width - now.x - 8));
      light(now, data.steps[n - 2]);
      reveal(now.x, behavior);
      story[n - 1].setAttribute("aria-current", "step");
    } else {
      by("veil").setAttribute("width", 0);
      for (const node of lit) node.classList.remove("now-here");
      lit = [];
      scroll.scrollLeft = 0;
    }
    fill(now);
    tell(story[n - 1]);
    showClocks(now ? now.at : 0);
    by("counter").textContent = now ? `Step ${n} of ${data.steps.length}` : `${data.steps.length} steps`;
    by("previous").disabled = n === 0;
    by("next").disabled = n === data.steps.length;
  }

  function go(n) {
    n = Math.min(data.steps.length, Math.max(0, n));
    history.replaceState(null, "", n ? `#step=${n}` : "#");
    show(n, motion);
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    by("play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (playing) return stop();
    if (step === data.steps.length) go(0);
    by("play").setAttribute("aria-pressed", "true");
    playing = setInterval(() => {
      go(step + 1);
      if (step === data.steps.length) stop();
    }, 1400);
    go(step + 1);
  }

  function follow() {
    if (location.hash === "#story") return; // the reader skips the picture
    const n = Number(/^#step=(\d+)$/.exec(location.hash)?.[1] || 0);
    show(Math.min(n, data.steps.length), "instant");
  }

  // Reading one event whole. One of them can be reached by the tab key, the
  // others from there.
  let present = events[0];
  function detail(node) {
    by("detail").textContent = node.querySelector("title").textContent;
    by("detail").classList.add("full");
  }
  function focusOn(node) {
    present?.setAttribute("tabindex", "-1");
    present = node;
    present.setAttribute("tabindex", "0");
    present.focus();
  }
  present?.setAttribute("tabindex", "0");
  const neighbour = (distance) => events[Math.min(events.length - 1, Math.max(0, events.indexOf(present) + distance))];

  timeline.addEventListener("pointerover", (e) => { const node = e.target.closest(".ev"); if (node) detail(node); });
  timeline.addEventListener("focusin", (e) => { const node = e.target.closest(".ev"); if (node) { present = node; detail(node); } });
  timeline.addEventListener("pointermove", (e) => {
    const x = (e.clientX - timeline.getBoundingClientRect().left) / scale();
    by("pointer").style.visibility = "visible";
    by("pointer").setAttribute("transform", `translate(${x} 0)`);
    showClocks(instantAt(x));
  });
  timeline.addEventListener("pointerleave", () => {
    by("pointer").style.visibility = "hidden";
    showClocks(step ? data.steps[step - 1].at : 0);
  });

  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    const inPicture = timeline.contains(document.activeElement);
    const actions = {
      ArrowRight: () => { stop(); go(step + 1); },
      ArrowLeft: () => { stop(); go(step - 1); },
      Home: () => { stop(); go(0); },
      End: () => { stop(); go(data.steps.length); },
    };
    if (inPicture) {
      actions.ArrowDown = () => focusOn(neighbour(1));
      actions.ArrowUp = () => focusOn(neighbour(-1));
    }
    if (!document.activeElement.closest("button, a, summary")) actions[" "] = play;
    if (!actions[e.key]) return;
    e.preventDefault();
    actions[e.key]();
  });

  by("restart").addEventListener("click", () => { stop(); go(0); });
  by("previous").addEventListener("click", () => { stop(); go(step - 1); });
  by("next").addEventListener("click", () => { stop(); go(step + 1); });
  by("play").addEventListener("click", play);
  window.addEventListener("hashchange", () => { stop(); follow(); });

  // The numbers in the picture are those of the breaches that are open.
  for (const breach of all("details.breach")) {
    breach.addEventListener("toggle", () => {
      for (const badges of all(".badges")) {
        if (badges.dataset.breach === breach.dataset.breach) badges.toggleAttribute("hidden", !breach.open);
      }
    });
  }

  follow();
})();
