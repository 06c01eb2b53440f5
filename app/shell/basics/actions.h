// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QObject>
#include <QStringList>
#include <map>
#include <string_view>
#include <vector>

namespace divisi::shell {

/// One row of the table of all actions, from which menus, toolbar, command palette and key list are built.
struct ActionSpec {
    const char* id;
    const char* menu;      ///< untranslated title of its menu
    const char* text;      ///< untranslated, with mnemonic
    const char* shortcut;  ///< portable text, several separated by "; "
    const char* icon = "";
    const char* short_text = "";  ///< untranslated, shown beside a toolbar icon; empty: icon only
};

/// A key that a view handles itself, without an action.
struct ViewKey {
    const char* keys;  ///< untranslated, like `text`
    const char* text;
};

/// All actions of the window, by id.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject* parent);

    QAction* get(std::string_view id) const;
    /// Returns the action; null if the id is unknown.
    QAction* find(std::string_view id) const;
    QStringList ids() const;
    const std::vector<std::pair<ActionSpec, QAction*>>& all() const { return actions_; }
    static const std::vector<ViewKey>& view_keys();
    static QString menu_title(const char* menu);

    void retranslate();
    /// Disables an action and shows `why_not` as its tooltip. If `why_not` is empty, enables the action and shows its
    /// usual tooltip.
    void allow(std::string_view id, const QString& why_not);
    /// Returns the tooltip of an enabled action: its purpose, and its key.
    static QString usual_tip(const QAction& action);
    /// Returns why the action is disabled; empty if it is enabled.
    QString why_not(std::string_view id) const;
    /// Returns whether the action concerns the model graph. The key of such an action works only while the graph is on
    /// screen; see GraphKeys.
    static bool of_graph(std::string_view id);
    void update_icons(const QPalette& palette);

private:
    std::string_view id_of(std::string_view id) const;

    std::vector<std::pair<ActionSpec, QAction*>> actions_;
    std::map<std::string_view, QAction*> by_id_;
    std::map<std::string_view, QString> why_not_;  ///< reasons why actions are disabled
};

}  // namespace divisi::shell
