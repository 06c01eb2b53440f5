// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QObject>
#include <QStringList>
#include <map>
#include <string_view>
#include <vector>

namespace divisi::shell {

/// One row of the table of all actions: menus, toolbar, command palette and key list are made from it.
struct ActionSpec {
    const char* id;
    const char* menu;      ///< untranslated title of its menu
    const char* text;      ///< untranslated, with mnemonic
    const char* shortcut;  ///< portable text, several divided by "; "
    const char* icon = "";
    const char* short_text = "";  ///< untranslated, beside the icon of a toolbar; empty: the icon does alone
};

/// A key that is no action's: what a view does with it.
struct ViewKey {
    const char* keys;  ///< untranslated, as `text`
    const char* text;
};

/// All actions of the window, by id.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject* parent);

    QAction* get(std::string_view id) const;
    /// Null where there is none of that name.
    QAction* find(std::string_view id) const;
    QStringList ids() const;
    const std::vector<std::pair<ActionSpec, QAction*>>& all() const { return actions_; }
    static const std::vector<ViewKey>& view_keys();
    static QString menu_title(const char* menu);

    void retranslate();
    /// Greys an action and says beside the pointer why; with an empty `why_not` it can be taken, and says what it does.
    void allow(std::string_view id, const QString& why_not);
    /// What an action does, with its key: what is beside the pointer unless it is grey.
    static QString usual_tip(const QAction& action);
    /// Why it is grey; empty where it is not.
    QString why_not(std::string_view id) const;
    /// What is done to the model graph: its key does so only where that graph is on screen, see GraphKeys.
    static bool of_graph(std::string_view id);
    void update_icons(const QPalette& palette);

private:
    std::string_view id_of(std::string_view id) const;

    std::vector<std::pair<ActionSpec, QAction*>> actions_;
    std::map<std::string_view, QAction*> by_id_;
    std::map<std::string_view, QString> why_not_;  ///< of those that are grey
};

}  // namespace divisi::shell
