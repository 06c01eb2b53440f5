// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/policy/policies_view.h"

#include <QHeaderView>

#include "app/client/refusal_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/panels/tables/plain_table.h"
#include "app/panels/tables/text_table.h"
#include "backend/control/state/policy_origin.h"

namespace divisi::panels {

namespace {

/// Interval of queries. It is short, because devices confirm a new version within one or two heartbeats.
constexpr int tick_ms = 500;

enum VersionColumn { version, time, author, change, reason, entries, version_columns };
enum DeviceColumn { device, state, goes_by, refused, device_columns };
enum PathColumn { from, to, share, set_by, first, second, standing, path_columns };
enum TrialColumn { task, measured, predicted, then, difference, paths, trial_columns };

QString text_of(const std::string& text) { return QString::fromStdString(text); }

QString entries_text(const control::PolicyVersion& version) {
    QStringList texts;
    for (const control::PolicyEntry& entry : version.entries) texts.append(text_of(to_text(entry)));
    return texts.join(u' ');
}

/// Returns the policy version that set the share of the flows between two gateways, or of all flows; a dash if no
/// version set it.
QString steered_text(const control::PoliciesState& policies, const control::PathStanding& path) {
    for (const auto& [from, to] : {std::pair{path.from, path.to}, std::pair{std::string(), std::string()}}) {
        const control::PolicyVersion* origin =
            control::origin_of(policies.versions, {control::PolicyKey::share, from, to, 0});
        if (origin) return PoliciesView::tr("version %1, %2").arg(origin->version).arg(text_of(origin->author));
    }
    return QStringLiteral("\u2013");
}

QString rate_text(double bytes_per_s) {
    if (bytes_per_s <= 0) return QStringLiteral("\u2013");
    return model::bytes_text(static_cast<Bytes>(bytes_per_s)) + QStringLiteral("/s");
}

QString time_text(double ms) { return ms > 0 ? model::ms_text(ms) : QStringLiteral("\u2013"); }

// Return the sort key of a value. An unmeasured value is shown as a dash and sorts last.
QVariant key_of(std::uint64_t version) { return QVariant::fromValue<qulonglong>(version); }
QVariant key_of(TimePoint time) { return QVariant::fromValue<qlonglong>(time.time_since_epoch().count()); }
QVariant key_of(double measured) { return measured > 0 ? QVariant(measured) : QVariant(); }

TableRow row_of(const control::TriedTask& one, const model::Colours& colours) {
    const double change = one.before_ms > 0 ? one.after_ms / one.before_ms - 1 : 0;
    const bool same = one.before_paths == one.after_paths;
    const QString way = one.error                 ? client::quoted(*one.error)
                        : one.after_paths.empty() ? PoliciesView::tr("within one MIC")
                        : same
                            ? text_of(one.after_paths)
                            : PoliciesView::tr("%1 (was %2)").arg(text_of(one.after_paths), text_of(one.before_paths));
    const QColor colour = change > 0.005 ? colours.bad : change < -0.005 ? colours.good : QColor();
    const RowCell difference = one.error ? RowCell{} : RowCell{model::change_text(change, 1), change, colour};
    return {text_of(one.task.value()),
            {{text_of(one.task.value())},
             {time_text(one.measured_ms), key_of(one.measured_ms)},
             {time_text(one.before_ms), key_of(one.before_ms)},
             {time_text(one.after_ms), key_of(one.after_ms)},
             difference,
             {way, {}, one.error ? colours.bad : QColor()}},
            {},
            model::things_of({}, {}, one.task)};
}

}  // namespace

PoliciesView::PoliciesView(client::Client* client, QWidget* parent)
    : ListPage("policy", client, parent),
      settings_(new QLineEdit(this)),
      try_(new QPushButton(this)),
      set_(new QPushButton(this)),
      roll_back_(new QPushButton(this)),
      trial_notes_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      versions_(make_text_table("policyVersions", version_columns, this)),
      devices_(make_text_table("policyDevices", device_columns, this)),
      paths_(make_text_table("policyPaths", path_columns, this)),
      tried_(make_text_table("policyTrial", trial_columns, this)) {
    setObjectName(QStringLiteral("policies"));
    build_bar();
    build_pages();
    poll_every(tick_ms);
    connect(settings_, &QLineEdit::textChanged, this, &PoliciesView::refresh_bar);
    connect(settings_, &QLineEdit::returnPressed, this, &PoliciesView::try_settings);
    connect(try_, &QPushButton::clicked, this, &PoliciesView::try_settings);
    connect(set_, &QPushButton::clicked, this, &PoliciesView::set_settings);
    connect(roll_back_, &QPushButton::clicked, this, &PoliciesView::roll_back);
    connect(versions_, &QTableWidget::itemSelectionChanged, this, &PoliciesView::refresh_bar);
    connect(pages_, &QButtonGroup::idClicked, this, [this](int page) {
        stack_->setCurrentIndex(page);
        refresh();
    });
    if (client_) {
        client_->on_answer<control::QueryPolicies>(this, qOverload<const control::PoliciesState&>(&PoliciesView::take));
        client_->on_answer<control::TryPolicies>(this, qOverload<const control::PolicyTrial&>(&PoliciesView::take));
        client_->on_answer<control::SetPolicies>(this, qOverload<const control::PolicyNumber&>(&PoliciesView::take));
        client_->on_answer<control::RollBackPolicies>(this,
                                                      qOverload<const control::PolicyNumber&>(&PoliciesView::take));
        connect(client_, &client::Client::refused, this, [this](const QString& why) {
            if (!std::exchange(asked_, false)) return;
            show_notice(why, true);
            refresh();
        });
        connect(client_, &client::Client::statusChanged, this, &PoliciesView::status_changed);
    }
    retranslate();
}

void PoliciesView::build_bar() {
    pages_ = &add_pages({"showVersions", "showDevices", "showPaths", "showTrial"});
    bar().addWidget(roll_back_);
    settings_->setObjectName(QStringLiteral("policySettings"));
    settings_->setClearButtonEnabled(true);
    settings_->setMinimumWidth(120);
    try_->setObjectName(QStringLiteral("tryPolicies"));
    set_->setObjectName(QStringLiteral("setPolicies"));
    roll_back_->setObjectName(QStringLiteral("rollBackPolicies"));
    QHBoxLayout& change_bar = add_bar();
    change_bar.addWidget(settings_, 1);
    change_bar.addWidget(try_);
    change_bar.addWidget(set_);
    setTabOrder(settings_, &filter());
}

void PoliciesView::build_pages() {
    trial_notes_->setObjectName(QStringLiteral("trialNotes"));
    trial_notes_->setWordWrap(true);
    trial_notes_->setProperty("role", QStringLiteral("faint"));
    auto* trial = new QWidget(this);
    auto* column = new QVBoxLayout(trial);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(tried_, 1);
    column->addWidget(trial_notes_);
    for (QTableWidget* table : {versions_, devices_, paths_}) stack_->addWidget(table);
    stack_->addWidget(trial);
    set_list(*stack_);
    offer_in_menu(*versions_, *roll_back_);
    for (QTableWidget* table : {versions_, devices_, paths_, tried_}) {
        show_sorting(*table);
        connect(table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &PoliciesView::refresh);
    }
}

void PoliciesView::poll() {
    if (client_ && is_on_screen()) client_->poll(control::QueryPolicies{});
}

void PoliciesView::take(const control::PoliciesState& policies) {
    policies_ = policies;
    refresh();
}

void PoliciesView::take(const control::PolicyNumber& made) {
    if (!std::exchange(asked_, false)) return poll();  // another view has changed the policy
    settings_->clear();
    show_notice(tr("Policy version %1 is in force.").arg(made.version), false);
    poll();
    refresh();
}

void PoliciesView::take(const control::PolicyTrial& trial) {
    asked_ = false;
    trial_ = trial;
    pages_->button(trial_page)->setChecked(true);
    stack_->setCurrentIndex(trial_page);
    show_notice(tr("Tried, not applied: %1").arg(text_of(trial.change)), false);
    refresh();
}

void PoliciesView::status_changed() {
    const bool connected = is_connected();
    if (std::exchange(connected_, connected) != connected) {
        policies_.reset();
        trial_.reset();
        asked_ = false;
        hide_notice();
    }
    refresh();
}

void PoliciesView::refresh() {
    if (isVisible()) {
        const model::Colours& colours = model::colours_of(palette());
        fill_versions();
        fill_devices(colours);
        fill_paths();
        fill_trial(colours);
        filter_rows(filter_text());
    }
    refresh_bar();
}

void PoliciesView::filter_rows(const QString& text) {
    for (QTableWidget* table : {versions_, devices_, paths_, tried_}) show_only(*table, text);
}

/// Fills the versions, newest first until a header is pressed.
void PoliciesView::fill_versions() {
    const std::vector<control::PolicyVersion> none;
    const auto& all = policies_ ? policies_->versions : none;
    std::vector<TableRow> rows;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        const QString in_force = one->version == policies_->current ? u' ' + tr("in force") : QString();
        rows.push_back({QString::number(one->version),
                        {{QString::number(one->version) + in_force, key_of(one->version)},
                         {model::clock_text(one->time), key_of(one->time)},
                         {text_of(one->author)},
                         {text_of(one->change)},
                         {text_of(one->reason)},
                         {one->entries.empty() ? tr("none: devices use their defaults") : entries_text(*one)}},
                        one->time});
    }
    show_rows(*versions_, std::move(rows));
    const int current = policies_ ? row_of(*versions_, QString::number(policies_->current)) : -1;
    for (int row = 0; row < versions_->rowCount(); ++row) {
        QFont font = versions_->font();
        font.setBold(row == current);
        versions_->item(row, version)->setFont(font);
    }
}

void PoliciesView::fill_devices(const model::Colours& colours) {
    const std::vector<control::PolicyAtDevice> none;
    std::vector<TableRow> rows;
    bool trouble = false;
    for (const control::PolicyAtDevice& one : policies_ ? policies_->devices : none) {
        const model::StateLook look = model::device_look(one.up, colours);
        const bool late = one.up && one.applied != policies_->current;
        trouble = trouble || late || one.refused > 0;
        const QString why =
            one.refused > 0 ? tr("version %1: %2").arg(one.refused).arg(text_of(one.reason)) : QString();
        rows.push_back({text_of(one.device),
                        {{text_of(one.device)},
                         {look.text(), {}, look.colour},
                         {tr("version %1").arg(one.applied), key_of(one.applied), late ? colours.warning : QColor()},
                         {why, {}, colours.bad}},
                        {},
                        {model::Selected::of_device(one.device)}});
    }
    show_rows(*devices_, std::move(rows));
    pages_->button(devices_page)->setText(tr("Devices") + (trouble ? QStringLiteral(" \u26a0") : QString()));
}

void PoliciesView::fill_paths() {
    const std::vector<control::PathStanding> none;
    std::vector<TableRow> rows;
    for (const control::PathStanding& one : policies_ ? policies_->paths : none)
        rows.push_back({text_of(one.from) + u' ' + text_of(one.to),
                        {{text_of(one.from)},
                         {text_of(one.to)},
                         {QString::number(one.share) + QStringLiteral(" %"), one.share},
                         {steered_text(*policies_, one)},
                         {rate_text(one.first_bytes_per_s), key_of(one.first_bytes_per_s)},
                         {rate_text(one.second_bytes_per_s), key_of(one.second_bytes_per_s)},
                         {text_of(one.state)}}});
    show_rows(*paths_, std::move(rows));
}

void PoliciesView::fill_trial(const model::Colours& colours) {
    std::vector<TableRow> rows;
    if (trial_)
        for (const control::TriedTask& one : trial_->tasks) rows.push_back(row_of(one, colours));
    show_rows(*tried_, std::move(rows));
    QStringList notes;
    if (trial_)
        for (const std::string& note : trial_->notes) notes.append(text_of(note));
    trial_notes_->setText(notes.join(u'\n'));
    trial_notes_->setVisible(!notes.isEmpty());
}

bool PoliciesView::has_rows() const {
    if (!is_connected() || !policies_) return false;
    switch (pages_->checkedId()) {
        case devices_page: return !policies_->devices.empty();
        case paths_page: return !policies_->paths.empty();
        case trial_page: return trial_ && !trial_->tasks.empty();
        default: return !policies_->versions.empty();
    }
}

QString PoliciesView::no_rows_text() const {
    if (!policies_) return tr("Asking for the policy\u2026");
    switch (pages_->checkedId()) {
        case devices_page: return tr("This cluster has no gateways or routers to set a policy on.");
        case paths_page: return tr("No gateway has sent data to another gateway yet, so their paths are unknown.");
        case trial_page:
            if (trial_) return tr("No task is running, so the change would have no effect now.");
            return tr(
                "Nothing has been tried yet. Enter a change above and press Try: the simulator runs every running task "
                "with it and applies nothing.");
        default: return tr("No policy is set yet: gateways and routers use their defaults.");
    }
}

bool PoliciesView::may_change() const {
    return is_connected() && control::allowed(client_->status().role, control::Right::submit);
}

std::vector<std::string> PoliciesView::settings() const {
    std::vector<std::string> all;
    for (const QString& one : settings_->text().split(u' ', Qt::SkipEmptyParts)) all.push_back(one.toStdString());
    return all;
}

std::optional<std::uint64_t> PoliciesView::chosen_version() const {
    const QTableWidgetItem* item = versions_->item(versions_->currentRow(), version);
    if (!item || !item->isSelected() || !policies_) return std::nullopt;
    const auto number = static_cast<std::uint64_t>(chosen_id(*versions_).toULongLong());
    return number == policies_->current ? std::nullopt : std::optional(number);
}

void PoliciesView::refresh_bar() {
    show_list();
    const bool may = may_change(), some = !settings().empty();
    settings_->setEnabled(may);
    try_->setEnabled(may && some && !asked_);
    set_->setEnabled(may && some && !asked_);
    roll_back_->setEnabled(may && !asked_ && policies_ && policies_->current > 0);
    const auto chosen = chosen_version();
    roll_back_->setText(chosen ? tr("Roll back to %1").arg(*chosen) : tr("Roll back"));
    const bool replayed = client_ && client_->status().replayed;
    const QString why = replayed                 ? client::why_not_replayed(client_->status())
                        : is_connected() && !may ? tr("Your role is read-only. Operators and admins change policies.")
                                                 : QString();
    try_->setToolTip(may ? tr("Simulate the change for every running task; nothing is applied") : why);
    set_->setToolTip(may ? tr("Make the change a new version, and send it to all gateways and routers at once") : why);
    roll_back_->setToolTip(may ? tr("Make a new policy version with the entries of the selected version, or of the "
                                    "previous one")
                               : why);
    settings_->setToolTip(may ? tr("Percent of the tensors that take the first path: share=100 or share:mg-1:mg-2=40. "
                                   "Bytes promised to a flow: window=16MiB. Whether the orchestrator adjusts shares "
                                   "itself: adapt=off. KEY=default resets a setting.")
                              : why);
}

void PoliciesView::try_settings() {
    if (!try_->isEnabled()) return;
    asked_ = true;
    show_notice(tr("Trying it with every running task\u2026"), false);
    client_->order(control::TryPolicies{settings()});
    refresh_bar();
}

void PoliciesView::set_settings() {
    asked_ = true;
    client_->order(control::SetPolicies{settings()});
    refresh_bar();
}

void PoliciesView::roll_back() {
    asked_ = true;
    client_->order(control::RollBackPolicies{chosen_version().value_or(0)});
    refresh_bar();
}

void PoliciesView::appear() {
    poll();
    refresh();
}

void PoliciesView::retranslate() {
    set_filter_texts(tr("Show only rows with this text"), tr("Filter of the policies"));
    pages_->button(versions_page)->setText(tr("Versions"));
    pages_->button(versions_page)->setToolTip(tr("What was set, when and by whom"));
    pages_->button(devices_page)->setText(tr("Devices"));
    pages_->button(devices_page)->setToolTip(tr("Version that each gateway and router uses, and what it refused"));
    pages_->button(paths_page)->setText(tr("Paths"));
    pages_->button(paths_page)->setToolTip(tr("State of the two paths between each pair of gateways"));
    pages_->button(trial_page)->setText(tr("Trial"));
    pages_->button(trial_page)->setToolTip(tr("Predicted effect of a change on running tasks"));
    settings_->setPlaceholderText(tr("A change, such as share:mg-1:mg-2=40 window=16MiB"));
    settings_->setAccessibleName(tr("Change of the policy"));
    try_->setText(tr("Try"));
    set_->setText(tr("Set"));
    versions_->setAccessibleName(tr("Versions of the policy"));
    devices_->setAccessibleName(tr("Gateways and routers, and the policy that each uses"));
    paths_->setAccessibleName(tr("Paths between gateways"));
    tried_->setAccessibleName(tr("Predicted step times"));
    versions_->setHorizontalHeaderLabels(
        {tr("Version"), tr("Time"), tr("Author"), tr("Change"), tr("Because"), tr("Entries")});
    devices_->setHorizontalHeaderLabels({tr("Device"), tr("State"), tr("Uses version"), tr("Refused")});
    paths_->setHorizontalHeaderLabels(
        {tr("From"), tr("To"), tr("Share of first"), tr("Set by"), tr("First path"), tr("Second path"), tr("State")});
    tried_->setHorizontalHeaderLabels(
        {tr("Task"), tr("Measured"), tr("Predicted"), tr("With change"), tr("Difference"), tr("Paths")});
    refresh();
}

}  // namespace divisi::panels

#include "moc_policies_view.cpp"
