// The state of a figure in the address of its page, which can be copied and sent: positions of the controls and,
// where there is more, what spell() makes of it, which take() is given again. No network.
const position = (each) => each.selectedIndex ?? Number(each.value);
const setPosition = (each, at) => {
  if (each.selectedIndex === undefined) each.value = at;
  else each.selectedIndex = at;
};

function keepInAddress({ name, choices }, controls, take, spell = () => "") {
  const start = `#${name}=`;
  const write = () => history.replaceState(null, "", start + controls.map(position).join(".") + spell());
  const read = () => { // whether the address holds a state of this figure, and one that can be
    const [given, ...rest] = location.hash.startsWith(start) ? location.hash.slice(start.length).split("~") : [""];
    const at = given.split(".").map(Number);
    const fits = given && at.length === controls.length && at.every((k, i) => choices[i][k] !== undefined);
    return Boolean(fits) && take(at, rest.join("~"));
  };
  for (const each of controls) each.addEventListener("change", write);
  root.id = name;
  addEventListener("hashchange", read);

  const part = (tag, attributes) => Object.assign(document.createElement(tag), attributes);
  const button = part("button", { type: "button", textContent: "Copy the address of this state" });
  const field = part("input", { readOnly: true, hidden: true, ariaLabel: "Address of this state" });
  const said = part("span", { role: "status" });
  button.addEventListener("click", async () => {
    write();
    const reached = await copied(location.href, () => {
      field.hidden = false;
      field.value = location.href;
      field.select();
    });
    said.textContent = reached ? "The address is copied." : "The address is selected: copy it from the field.";
  });
  return { write, read, parts: [button, field, said] };
}

const paragraph = (name, ...content) => {
  const made = document.createElement("p");
  made.className = name;
  made.append(...content);
  root.querySelector(".csb-panels").before(made);
};
