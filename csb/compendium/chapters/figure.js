// What every interactive figure begins with: its parts, its data, and a way to draw. No network.
"use strict";
const data = JSON.parse(root.querySelector("script[type='application/json']").textContent);
const figure = root.querySelector("svg");
const text = root.querySelector("output");

function add(name, attributes, content) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (content !== undefined) node.textContent = content;
  figure.appendChild(node);
  return node;
}
